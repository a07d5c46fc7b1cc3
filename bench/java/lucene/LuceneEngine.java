import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.BoostQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;

/** Lucene: build FOLDER, of lines "NAME TERM TERM …" on standard input; or serve FOLDER QUERIES. */
final class LuceneEngine extends EngineServer<Query> {
  private static final BM25Similarity BM25 = new BM25Similarity(1.2f, 0.75f);
  private final IndexSearcher searcher;

  private LuceneEngine(Path folder) throws Exception {
    IndexSearcher.setMaxClauseCount(1 << 20);
    searcher = new IndexSearcher(DirectoryReader.open(FSDirectory.open(folder)));
    searcher.setSimilarity(BM25);
    searcher.setQueryCache(null);
  }

  public static void main(String[] words) throws Exception {
    if (words[0].equals("build")) {
      build(Path.of(words[1]));
    } else {
      new LuceneEngine(Path.of(words[1])).serve(Path.of(words[2]));
    }
  }

  private static void build(Path folder) throws Exception {
    FieldType words = new FieldType();
    words.setTokenized(true);
    words.setIndexOptions(IndexOptions.DOCS_AND_FREQS);
    words.freeze();
    IndexWriterConfig config = new IndexWriterConfig(new WhitespaceAnalyzer());
    config.setSimilarity(BM25);
    config.setRAMBufferSizeMB(500);
    try (Directory directory = FSDirectory.open(folder);
        IndexWriter writer = new IndexWriter(directory, config);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        int blank = line.indexOf(' ');
        Document document = new Document();
        document.add(new StoredField("name", line.substring(0, blank)));
        document.add(new Field("text", line.substring(blank + 1), words));
        writer.addDocument(document);
      }
      writer.forceMerge(1);
    }
  }

  @Override
  Query prepare(List<String> terms, List<Double> weights) {
    BooleanQuery.Builder query = new BooleanQuery.Builder();
    for (int i = 0; i < terms.size(); i++) {
      Query term = new TermQuery(new Term("text", terms.get(i)));
      query.add(new BoostQuery(term, weights.get(i).floatValue()), BooleanClause.Occur.SHOULD);
    }
    return query.build();
  }

  @Override
  Object search(Query query, int k) throws Exception {
    return searcher.search(query, k).scoreDocs;
  }

  @Override
  List<String> answer(Query query, int k) throws Exception {
    List<String> found = new ArrayList<>();
    for (ScoreDoc each : searcher.search(query, k).scoreDocs) {
      found.add(searcher.storedFields().document(each.doc).get("name") + ":" + each.score);
    }
    return found;
  }
}
