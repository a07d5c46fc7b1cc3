import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.opensearch.common.settings.Settings;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.plugins.Plugin;

/** One OpenSearch node from jars alone: java -cp 'lib/*:lib' OpenSearchNode PID key=value …; it ends with process PID. */
public class OpenSearchNode extends Node {
    static final List<String> MODULES = List.of(
        "org.opensearch.transport.Netty4Plugin", "org.opensearch.analysis.common.CommonAnalysisPlugin",
        "org.opensearch.index.mapper.MapperExtrasPlugin", "org.opensearch.painless.PainlessPlugin",
        "org.opensearch.index.reindex.ReindexPlugin");

    OpenSearchNode(Settings settings, List<Class<? extends Plugin>> modules) {
        super(InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), null, () -> "node"), modules, false);
    }

    public static void main(String[] args) throws Exception {
        Settings.Builder settings = Settings.builder();
        for (String each : List.of(args).subList(1, args.length)) {
            settings.put(each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1));
        }
        List<Class<? extends Plugin>> modules = new ArrayList<>();
        for (String name : MODULES) {
            modules.add(Class.forName(name).asSubclass(Plugin.class));
        }
        Node node = new OpenSearchNode(settings.build(), modules).start();
        ProcessHandle.of(Long.parseLong(args[0])).ifPresentOrElse(
            owner -> owner.onExit().thenRun(() -> System.exit(0)), () -> System.exit(0));
        CountDownLatch stop = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                node.close();
            } catch (Exception ignored) {
                // the process ends in any case
            }
            stop.countDown();
        }));
        stop.await();
    }
}
