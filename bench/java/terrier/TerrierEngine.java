import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.terrier.matching.MatchingQueryTerms;
import org.terrier.matching.ResultSet;
import org.terrier.matching.daat.Full;
import org.terrier.matching.matchops.SingleTermOp;
import org.terrier.matching.models.WeightingModel;
import org.terrier.querying.IndexRef;
import org.terrier.structures.Index;
import org.terrier.structures.IndexFactory;
import org.terrier.structures.indexing.DocumentPostingList;
import org.terrier.structures.indexing.classical.BasicIndexer;
import org.terrier.utility.ApplicationSetup;

/** Terrier: build FOLDER, of lines "NAME TERM TERM …" on standard input; or serve FOLDER QUERIES. */
final class TerrierEngine extends EngineServer<MatchingQueryTerms> {
  private static final String PREFIX = "data";
  private final Index index;
  private final Full matching;

  private TerrierEngine(Path folder) {
    index = IndexFactory.of(IndexRef.of(folder.resolve(PREFIX + ".properties").toString()));
    matching = new Full(index);
  }

  public static void main(String[] words) throws Exception {
    System.setProperty("terrier.home", words[1]);
    ApplicationSetup.setProperty("termpipelines", "");
    ApplicationSetup.setProperty("max.term.length", "200");
    ApplicationSetup.setProperty("indexer.meta.forward.keys", "docno");
    ApplicationSetup.setProperty("indexer.meta.forward.keylens", "40");
    ApplicationSetup.setProperty("indexer.meta.reverse.keys", "");
    if (words[0].equals("build")) {
      new BasicIndexer(words[1], PREFIX).indexDocuments(new Texts());
    } else {
      new TerrierEngine(Path.of(words[1])).serve(Path.of(words[2]));
    }
  }

  /** The documents on standard input. */
  private static final class Texts implements Iterator<Map.Entry<Map<String, String>, DocumentPostingList>> {
    private final BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    private String line = read();

    private String read() {
      try {
        return lines.readLine();
      } catch (IOException error) {
        throw new UncheckedIOException(error);
      }
    }

    @Override
    public boolean hasNext() {
      return line != null;
    }

    @Override
    public Map.Entry<Map<String, String>, DocumentPostingList> next() {
      String[] words = line.split(" ");
      DocumentPostingList terms = new DocumentPostingList();
      for (int i = 1; i < words.length; i++) {
        terms.insert(words[i]);
      }
      line = read();
      return Map.entry(Map.of("docno", words[0]), terms);
    }
  }

  /** BM25 with Lucene's weight of rare terms, as antecede has it; Terrier's own is negative for frequent terms. */
  private static final class Bm25 extends WeightingModel {
    private static final double K1 = 1.2;
    private static final double B = 0.75;
    private double weight;

    @Override
    public String getInfo() {
      return "BM25";
    }

    @Override
    public void prepare() {
      super.prepare();
      double idf = Math.log(1 + (numberOfDocuments - documentFrequency + 0.5) / (documentFrequency + 0.5));
      weight = keyFrequency * idf * (K1 + 1);
    }

    @Override
    public double score(double tf, double length) {
      return weight * tf / (tf + K1 * (1 - B + B * length / averageDocumentLength));
    }
  }

  @Override
  MatchingQueryTerms prepare(List<String> terms, List<Double> weights) {
    MatchingQueryTerms query = new MatchingQueryTerms("q");
    for (int i = 0; i < terms.size(); i++) {
      query.setTermProperty(new SingleTermOp(terms.get(i)), weights.get(i), new Bm25());
    }
    return query;
  }

  @Override
  Object search(MatchingQueryTerms query, int k) throws Exception {
    query.setMatchingRequestSize(k);
    return matching.match("q", query);
  }

  @Override
  List<String> answer(MatchingQueryTerms query, int k) throws Exception {
    ResultSet found = (ResultSet) search(query, k);
    List<String> told = new ArrayList<>();
    for (int i = 0; i < found.getResultSize(); i++) {
      told.add(index.getMetaIndex().getItem("docno", found.getDocids()[i]) + ":" + found.getScores()[i]);
    }
    return told;
  }
}
