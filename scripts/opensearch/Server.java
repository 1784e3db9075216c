import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.ko.KoreanPartOfSpeechStopFilter;
import org.apache.lucene.analysis.ko.KoreanReadingFormFilter;
import org.apache.lucene.analysis.ko.KoreanTokenizer;
import org.apache.lucene.analysis.ko.KoreanTokenizer.DecompoundMode;
import org.apache.lucene.util.AttributeFactory;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.index.analysis.AbstractTokenFilterFactory;
import org.opensearch.index.analysis.AbstractTokenizerFactory;
import org.opensearch.index.analysis.TokenFilterFactory;
import org.opensearch.index.analysis.TokenizerFactory;
import org.opensearch.indices.analysis.AnalysisModule.AnalysisProvider;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.plugins.AnalysisPlugin;
import org.opensearch.plugins.Plugin;

/** One OpenSearch node on loopback, for tests: Server HOME PORT [nori] [knn]. SIGTERM ends it. */
public final class Server {
    /** Lucene's Korean analysis under the names of the plugin analysis-nori, which Maven does not have. */
    public static final class Nori extends Plugin implements AnalysisPlugin {
        @Override
        public Map<String, AnalysisProvider<TokenizerFactory>> getTokenizers() {
            return Map.of("nori_tokenizer", (index, env, name, settings) -> new AbstractTokenizerFactory(index, settings, name) {
                @Override
                public Tokenizer create() {
                    String mode = settings.get("decompound_mode", "discard").toUpperCase(Locale.ROOT);
                    boolean bare = settings.getAsBoolean("discard_punctuation", true);
                    return new KoreanTokenizer(AttributeFactory.DEFAULT_ATTRIBUTE_FACTORY, null, DecompoundMode.valueOf(mode), false, bare);
                }
            });
        }

        private interface Filter {
            TokenStream of(TokenStream in);
        }

        private static AnalysisProvider<TokenFilterFactory> filter(Filter f) {
            return (index, env, name, settings) -> new AbstractTokenFilterFactory(index, name, settings) {
                @Override
                public TokenStream create(TokenStream in) {
                    return f.of(in);
                }
            };
        }

        @Override
        public Map<String, AnalysisProvider<TokenFilterFactory>> getTokenFilters() {
            return Map.of("nori_part_of_speech", filter(KoreanPartOfSpeechStopFilter::new), "nori_readingform", filter(KoreanReadingFormFilter::new));
        }
    }

    /** The constructor that takes plugins of the class path is protected. */
    private static final class Embedded extends Node {
        Embedded(Environment env, List<Class<? extends Plugin>> plugins) {
            super(env, plugins, false);
        }
    }

    public static void main(String[] args) throws Exception {
        Settings.Builder settings = Settings.builder()
            .put("path.home", Path.of(args[0]).toAbsolutePath())
            .put("cluster.name", "maru-test")
            .put("node.name", "maru-test")
            .put("discovery.type", "single-node")
            .put("network.host", "127.0.0.1")
            .put("http.port", args[1])
            .put("transport.port", "0")
            .put("http.type", "netty4")
            .put("transport.type", "netty4")
            .put("node.processors", "1")
            // A test machine's disk is often nearly full; an index that turns read-only for that fails at random.
            .put("cluster.routing.allocation.disk.threshold_enabled", "false");
        List<String> names = new ArrayList<>(List.of(
            "org.opensearch.transport.Netty4Plugin", "org.opensearch.analysis.common.CommonAnalysisPlugin", "org.opensearch.painless.PainlessPlugin"));
        for (String arg : List.of(args).subList(2, args.length)) {
            names.add(arg.equals("nori") ? Nori.class.getName() : "org.opensearch.knn.plugin.KNNPlugin");
        }
        List<Class<? extends Plugin>> plugins = new ArrayList<>();
        for (String name : names) {
            plugins.add(Class.forName(name).asSubclass(Plugin.class));
        }
        Node node = new Embedded(InternalSettingsPreparer.prepareEnvironment(settings.build(), Map.of(), null, () -> "maru-test"), plugins);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                node.close();
            } catch (Exception e) {
                e.printStackTrace();
            }
        }));
        node.start();
        Thread.currentThread().join();
    }
}
