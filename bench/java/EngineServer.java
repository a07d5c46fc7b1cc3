import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A search engine that answers commands on standard input, as bench/engine_process.py asks them.
 *
 * <p>warm KIND K SECONDS: search for so long, then say "warm"; time KIND K: the seconds that the searching thread ran, for each query of a kind, in one line; rate KIND K
 * THREADS: queries per second; answer KIND K: a line per query of NAME:SCORE.
 *
 * @param <Q> a query as the engine has it
 */
abstract class EngineServer<Q> {
  private final Map<String, List<Q>> queries = new LinkedHashMap<>();
  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

  /** A query of weighted terms. */
  abstract Q prepare(List<String> terms, List<Double> weights) throws Exception;

  /** Search for the best k documents. */
  abstract Object search(Q query, int k) throws Exception;

  /** The best k documents as NAME:SCORE. */
  abstract List<String> answer(Q query, int k) throws Exception;

  /** Answer commands until the input ends. */
  void serve(Path file) throws Exception {
    for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
      String[] parts = line.split("\t");
      List<String> terms = new ArrayList<>();
      List<Double> weights = new ArrayList<>();
      for (String each : parts[1].split(" ")) {
        int colon = each.lastIndexOf(':');
        terms.add(each.substring(0, colon));
        weights.add(Double.valueOf(each.substring(colon + 1)));
      }
      queries.computeIfAbsent(parts[0], kind -> new ArrayList<>()).add(prepare(terms, weights));
    }
    System.out.println("ready");
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      String[] words = line.split(" ");
      List<Q> asked = queries.get(words[1]);
      int k = Integer.parseInt(words[2]);
      switch (words[0]) {
        case "warm" -> {
          warmUp(asked, k, Double.parseDouble(words[3]));
          System.out.println("warm");
        }
        case "time" -> System.out.println(time(asked, k));
        case "rate" -> System.out.println(rate(asked, k, Integer.parseInt(words[3])));
        case "answer" -> {
          for (Q query : asked) {
            System.out.println(String.join(" ", answer(query, k)));
          }
        }
        default -> throw new IllegalArgumentException(line);
      }
      System.out.flush();
    }
  }

  /** Search until this thread has run for so many seconds: the code is compiled then. */
  private void warmUp(List<Q> asked, int k, double seconds) throws Exception {
    long end = threads.getCurrentThreadCpuTime() + (long) (seconds * 1e9);
    while (threads.getCurrentThreadCpuTime() < end) {
      for (Q query : asked) {
        search(query, k);
      }
    }
  }

  private String time(List<Q> asked, int k) throws Exception {
    StringBuilder told = new StringBuilder();
    for (Q query : asked) {
      long begin = threads.getCurrentThreadCpuTime();
      search(query, k);
      told.append(String.format(Locale.ROOT, "%.9f ", (threads.getCurrentThreadCpuTime() - begin) / 1e9));
    }
    return told.toString().strip();
  }

  private double rate(List<Q> asked, int k, int number) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(number);
    try {
      List<Future<Object>> waiting = new ArrayList<>();
      long begin = System.nanoTime();
      for (Q query : asked) {
        waiting.add(pool.submit(() -> search(query, k)));
      }
      for (Future<Object> each : waiting) {
        each.get();
      }
      return asked.size() / ((System.nanoTime() - begin) / 1e9);
    } finally {
      pool.shutdown();
    }
  }
}
