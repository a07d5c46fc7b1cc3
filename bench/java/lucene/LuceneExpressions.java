import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.TokenFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.core.WhitespaceTokenizer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.analysis.tokenattributes.PositionIncrementAttribute;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.Term;
import org.apache.lucene.queries.intervals.IntervalQuery;
import org.apache.lucene.queries.intervals.Intervals;
import org.apache.lucene.queries.intervals.IntervalsSource;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.ConstantScoreQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.MatchAllDocsQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.SimpleCollector;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.WildcardQuery;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.FixedBitSet;

/**
 * Expressions in Lucene, as bench/expressions.py asks them.
 *
 * <p>build FOLDER, of lines on standard input, the fields of a document apart by tabs, words in order, each perhaps with its term: "migration|=migrat"; or ask FOLDER ROUNDS,
 * of lines of queries in parentheses, answered with the number of documents and the best milliseconds of so many rounds.
 */
final class LuceneExpressions {
  private static final int MOST = 1 << 20;
  private final String text;
  private int at;

  private LuceneExpressions(String text) {
    this.text = text;
  }

  public static void main(String[] words) throws Exception {
    IndexSearcher.setMaxClauseCount(MOST);
    if (words[0].equals("build")) {
      build(Path.of(words[1]));
    } else {
      ask(Path.of(words[1]), Integer.parseInt(words[2]));
    }
  }

  private static void build(Path folder) throws Exception {
    FieldType inOrder = new FieldType();
    inOrder.setTokenized(true);
    inOrder.setOmitNorms(true);
    inOrder.setIndexOptions(IndexOptions.DOCS_AND_FREQS_AND_POSITIONS);
    inOrder.freeze();
    IndexWriterConfig config = new IndexWriterConfig(new Forms());
    config.setRAMBufferSizeMB(500);
    try (IndexWriter writer = new IndexWriter(FSDirectory.open(folder), config);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        Document document = new Document();
        String[] fields = line.split("\t", -1);
        for (int i = 0; i < fields.length; i++) {
          document.add(new Field("f" + i, fields[i], inOrder));
        }
        document.add(new StoredField("n", 0));
        writer.addDocument(document);
      }
      writer.forceMerge(1);
    }
  }

  private static void ask(Path folder, int rounds) throws Exception {
    IndexSearcher searcher = new IndexSearcher(DirectoryReader.open(FSDirectory.open(folder)));
    searcher.setQueryCache(null);
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    List<String> asked = lines.lines().toList();
    for (int warm = 0; warm < 3; warm++) {
      for (String line : asked) {
        count(searcher, line);
      }
    }
    for (String line : asked) {
      long best = Long.MAX_VALUE;
      int number = 0;
      for (int round = 0; round < rounds; round++) {
        long begun = System.nanoTime();
        number = count(searcher, line);
        best = Math.min(best, System.nanoTime() - begun);
      }
      System.out.printf(Locale.ROOT, "%d %.3f%n", number, best / 1e6);
    }
  }

  /** The number of documents that a query finds, all of which are collected: a count alone could come from statistics. */
  private static int count(IndexSearcher searcher, String line) throws IOException {
    Query query = new ConstantScoreQuery(new LuceneExpressions(line).query());
    FixedBitSet documents = new FixedBitSet(searcher.getIndexReader().maxDoc());
    searcher.search(
        query,
        new SimpleCollector() {
          private int base;

          @Override
          protected void doSetNextReader(LeafReaderContext context) {
            base = context.docBase;
          }

          @Override
          public void collect(int document) {
            documents.set(base + document);
          }

          @Override
          public ScoreMode scoreMode() {
            return ScoreMode.COMPLETE_NO_SCORES;
          }
        });
    return documents.cardinality();
  }

  private String next() {
    while (text.charAt(at) == ' ') {
      at++;
    }
    int begin = at;
    if (text.charAt(at) == '(' || text.charAt(at) == ')') {
      at++;
    } else {
      while (text.charAt(at) != ' ' && text.charAt(at) != ')') {
        at++;
      }
    }
    return text.substring(begin, at);
  }

  private boolean closes() {
    while (text.charAt(at) == ' ') {
      at++;
    }
    return text.charAt(at) == ')';
  }

  /** (and Q…) (or Q…) (not Q) (term FIELD TOKEN) (wild FIELD PATTERN) (near FIELD SOURCE). */
  private Query query() {
    next();
    String kind = next();
    Query made;
    switch (kind) {
      case "term" -> made = new TermQuery(new Term(next(), next()));
      case "wild" -> made = new WildcardQuery(new Term(next(), next()));
      case "near" -> made = new IntervalQuery(next(), source());
      default -> {
        BooleanQuery.Builder builder = new BooleanQuery.Builder();
        if (kind.equals("not")) {
          builder.add(new MatchAllDocsQuery(), Occur.FILTER);
        }
        while (!closes()) {
          builder.add(query(), kind.equals("and") ? Occur.FILTER : kind.equals("or") ? Occur.SHOULD : Occur.MUST_NOT);
        }
        made = builder.build();
      }
    }
    next();
    return made;
  }

  /** (word TOKEN) (wild PATTERN) (any SOURCE…) (order GAPS SOURCE…). */
  private IntervalsSource source() {
    next();
    String kind = next();
    IntervalsSource made;
    if (kind.equals("word")) {
      made = Intervals.term(next());
    } else if (kind.equals("wild")) {
      made = Intervals.wildcard(new BytesRef(next()), MOST);
    } else {
      int gaps = kind.equals("order") ? Integer.parseInt(next()) : 0;
      List<IntervalsSource> parts = new ArrayList<>();
      while (!closes()) {
        parts.add(source());
      }
      IntervalsSource[] every = parts.toArray(new IntervalsSource[0]);
      made = kind.equals("any")
          ? Intervals.or(every)
          : gaps == 0 ? Intervals.phrase(every) : Intervals.maxgaps(gaps, Intervals.ordered(every));
    }
    next();
    return made;
  }

  /** Splits "migration|=migrat" into two tokens at one place. */
  private static final class Forms extends Analyzer {
    @Override
    protected TokenStreamComponents createComponents(String field) {
      Tokenizer words = new WhitespaceTokenizer(WhitespaceTokenizer.DEFAULT_MAX_WORD_LEN);
      TokenStream forms = new TokenFilter(words) {
        private final CharTermAttribute token = addAttribute(CharTermAttribute.class);
        private final PositionIncrementAttribute increment = addAttribute(PositionIncrementAttribute.class);
        private String term;

        @Override
        public boolean incrementToken() throws IOException {
          if (term != null) {
            token.setEmpty().append(term);
            increment.setPositionIncrement(0);
            term = null;
            return true;
          }
          if (!input.incrementToken()) {
            return false;
          }
          String both = token.toString();
          int bar = both.indexOf('|');
          if (bar >= 0) {
            token.setLength(bar);
            term = both.substring(bar + 1);
          }
          return true;
        }
      };
      return new TokenStreamComponents(words, forms);
    }
  }
}
