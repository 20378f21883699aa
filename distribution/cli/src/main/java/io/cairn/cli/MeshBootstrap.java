package io.cairn.cli;

import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The first configuration of a proxy or gRPC client: the server's address, and the node's description. */
final class MeshBootstrap {

    /** The name of a gRPC server's listener; Cairn generates one for each address of this form. */
    private static final String SERVER_LISTENER = "grpc/server?xds.resource.listening_address=%s";

    /** The kind of the file through which Envoy reads its token. */
    static final String TOKEN_KIND = "envoy-token";

    private static final int ID_DIGITS = 8;
    private static final int GRPC_OFFSET = 1000;
    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;

    @Option(
            names = "--grpc",
            paramLabel = "HOST:PORT",
            split = ",",
            description = "gRPC ports of the nodes of the server as the proxy reaches them"
                    + " (default: that of --server, 1000 above HTTP)")
    private List<String> grpc = List.of();

    @Option(
            names = "--node-id",
            paramLabel = "ID",
            description = "of the proxy; one of its own for each of them (default: proxy- and eight random digits)")
    private @Nullable String nodeId;

    @Option(
            names = "--node-cluster",
            paramLabel = "NAME",
            description = "application of the proxy: stored resources with this application are for it"
                    + " (default: ${DEFAULT-VALUE})",
            defaultValue = "proxies")
    private String nodeCluster = "proxies";

    @Option(names = "--region", paramLabel = "NAME", description = "of the proxy, for balancing by locality")
    private @Nullable String region;

    @Option(names = "--zone", paramLabel = "NAME", description = "of the proxy, for balancing by locality")
    private @Nullable String zone;

    @Option(
            names = "--services",
            paramLabel = "NAMES",
            split = ",",
            description = "services that the proxy sees; * at the end of a name stands for any text (default: all)")
    private List<String> services = List.of();

    @Option(names = "--tag", paramLabel = "TAG", description = "by which gray releases choose proxies (default: none)")
    private @Nullable String tag;

    @Option(
            names = "--proxy-token-file",
            paramLabel = "FILE",
            description = "with the proxy's token, which is printed in the bootstrap: keep that as secret as the token")
    private @Nullable String tokenFile;

    @Option(
            names = "--proxy-token-path",
            paramLabel = "FILE",
            description =
                    "Envoy: the absolute path of a file on its machine with its token; Envoy follows changes of it"
                            + " and the bootstrap does not have the token")
    private @Nullable String tokenPath;

    @Option(
            names = "--tls-ca",
            paramLabel = "FILE",
            description = "TLS on the stream: the certificates that the proxy trusts, in a file on its machine")
    private @Nullable String tlsCa;

    @Option(
            names = "--tls-cert",
            paramLabel = "FILE",
            description = "with --tls-ca: the proxy's own certificate, in a file on its machine")
    private @Nullable String tlsCertificate;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "with --tls-cert: its private key")
    private @Nullable String tlsKey;

    @Option(names = "--sotw", description = "Envoy: state of the world in place of the delta protocol")
    private boolean sotw;

    String text(String kind, Cairn cairn, Group command) {
        check(kind, command);
        List<Node> nodes = nodes(cairn, command);
        return switch (kind) {
            case TOKEN_KIND -> tokenResource(required(tokenPath));
            case "grpc" -> grpc(cairn, nodes);
            case "mosn" -> {
                if (tlsCa != null) {
                    cairn.notice("MOSN uses TLS when it is started with --feature-gates XdsMtlsEnable=true");
                }
                yield mosn(cairn, nodes);
            }
            default -> {
                if (tokenPath != null) {
                    cairn.notice("Envoy reads the token by " + tokenFileOf(tokenPath) + " ('cairn mesh bootstrap "
                            + TOKEN_KIND + " --proxy-token-path " + tokenPath + "' prints that file)");
                }
                yield envoy(cairn, nodes);
            }
        };
    }

    private void check(String kind, Group command) {
        if ((tlsCertificate == null) != (tlsKey == null) || (tlsCertificate != null && tlsCa == null)) {
            throw command.usage("--tls-cert and --tls-key are given together, and with --tls-ca");
        }
        if (kind.equals("mosn") && tlsCa != null && tlsCertificate == null) {
            throw command.usage("MOSN uses TLS with a certificate of its own only (add --tls-cert and --tls-key)");
        }
        if (tokenPath != null && (!kind.startsWith("envoy") || tokenFile != null || !tokenPath.startsWith("/"))) {
            throw command.usage(
                    "--proxy-token-path: an absolute path, for envoy only, and not with --proxy-token-file");
        }
        if (kind.equals(TOKEN_KIND) && tokenPath == null) {
            throw command.usage(TOKEN_KIND + " needs --proxy-token-path");
        }
        if (sotw && !kind.equals("envoy")) {
            throw command.usage("--sotw: for envoy only, the others speak nothing else");
        }
    }

    private record Node(String host, String port) {

        static Node of(String address) {
            int colon = address.lastIndexOf(':');
            return new Node(address.substring(0, colon), address.substring(colon + 1));
        }

        boolean isAddress() {
            return host.startsWith("[") || host.matches("[0-9.]+");
        }

        String bare() {
            return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        }

        @Override
        public String toString() {
            return host + ':' + port;
        }
    }

    private List<Node> nodes(Cairn cairn, Group command) {
        if (grpc.isEmpty()) {
            URI server = URI.create(cairn.base());
            boolean tls = "https".equalsIgnoreCase(server.getScheme());
            int http = server.getPort() == -1 ? (tls ? HTTPS_PORT : HTTP_PORT) : server.getPort();
            return List.of(Node.of(server.getHost() + ':' + (http + GRPC_OFFSET)));
        }
        for (String address : grpc) {
            if (!address.matches("(\\[[0-9a-fA-F:.]+]|[^\\s:\\[\\]/]+):\\d{1,5}")) {
                throw command.usage(
                        "--grpc: '" + Api.oneLine(address) + "' (expected: host:port, such as cairn.example:9848)");
            }
        }
        return grpc.stream().map(Node::of).toList();
    }

    private static String required(@Nullable String given) {
        return Objects.requireNonNull(given);
    }

    /** The resource through which Envoy reads the token; it lies beside the token. */
    private static String tokenFileOf(String tokenPath) {
        return folderOf(tokenPath) + "cairn-token.yaml";
    }

    private static String folderOf(String path) {
        return path.substring(0, path.lastIndexOf('/') + 1);
    }

    private static String tokenResource(String tokenPath) {
        return String.join(
                        "\n",
                        "resources:",
                        "- \"@type\": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret",
                        "  name: cairn-token",
                        "  generic_secret:",
                        "    secret:",
                        "      filename: " + quoted(tokenPath),
                        "      watched_directory: { path: " + quoted(folderOf(tokenPath)) + " }")
                + "\n";
    }

    private String nodeId() {
        return nodeId == null ? "proxy-" + UUID.randomUUID().toString().substring(0, ID_DIGITS) : nodeId;
    }

    /** May be empty. */
    private Map<String, @Nullable Object> locality() {
        Map<String, @Nullable Object> locality = new LinkedHashMap<>();
        if (region != null) {
            locality.put("region", region);
        }
        if (zone != null) {
            locality.put("zone", zone);
        }
        return locality;
    }

    private String token(Cairn cairn) {
        return tokenFile == null ? "" : cairn.tokenOf("--proxy-token-file", tokenFile);
    }

    private Map<String, @Nullable Object> metadata(Cairn cairn) {
        Map<String, @Nullable Object> metadata = new LinkedHashMap<>();
        if (!cairn.namespace().isEmpty()) {
            metadata.put("namespace", cairn.namespace());
        }
        if (!services.isEmpty()) {
            metadata.put("services", services);
        }
        if (tag != null) {
            metadata.put("tag", tag);
        }
        return metadata;
    }

    /** For clients that send no header with the stream. */
    private Map<String, @Nullable Object> metadataWithToken(Cairn cairn) {
        Map<String, @Nullable Object> metadata = metadata(cairn);
        String token = token(cairn);
        if (!token.isEmpty()) {
            metadata.put("accessToken", token);
        }
        return metadata;
    }

    private static String quoted(String text) {
        return Json.write(text);
    }

    private String envoy(Cairn cairn, List<Node> nodes) {
        Map<String, @Nullable Object> metadata = metadata(cairn);
        String token = token(cairn);
        List<String> lines = new ArrayList<>();
        lines.add("node:");
        lines.add("  id: " + quoted(nodeId()));
        lines.add("  cluster: " + quoted(nodeCluster));
        if (!metadata.isEmpty()) {
            lines.add("  metadata: " + Json.write(metadata));
        }
        if (!locality().isEmpty()) {
            lines.add("  locality: " + Json.write(locality()));
        }
        lines.add("dynamic_resources:");
        lines.add("  ads_config:");
        lines.add("    api_type: " + (sotw ? "GRPC" : "DELTA_GRPC"));
        lines.add("    transport_api_version: V3");
        lines.add("    set_node_on_first_message_only: true");
        lines.add("    grpc_services:");
        lines.add("    - envoy_grpc:");
        lines.add("        cluster_name: cairn");
        lines.add("        retry_policy: { retry_back_off: { base_interval: 0.5s, max_interval: 5s } }");
        if (!token.isEmpty()) {
            lines.add("      initial_metadata:");
            lines.add("      - { key: authorization, value: " + quoted("Bearer " + token) + " }");
        }
        lines.add("  cds_config: { ads: {}, resource_api_version: V3 }");
        lines.add("  lds_config: { ads: {}, resource_api_version: V3 }");
        lines.add("static_resources:");
        lines.add("  clusters:");
        lines.add("  - name: cairn");
        lines.add("    type: STRICT_DNS");
        lines.add("    dns_lookup_family: ALL");
        lines.add("    connect_timeout: 2s");
        lines.add("    load_assignment:");
        lines.add("      cluster_name: cairn");
        lines.add("      endpoints:");
        lines.add("      - lb_endpoints:");
        for (Node node : nodes) {
            lines.add("        - endpoint:");
            lines.add("            address:");
            lines.add("              socket_address: { address: " + quoted(node.bare()) + ", port_value: " + node.port
                    + " }");
        }
        lines.add("    typed_extension_protocol_options:");
        lines.add("      envoy.extensions.upstreams.http.v3.HttpProtocolOptions:");
        lines.add("        \"@type\": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions");
        lines.add("        explicit_http_config:");
        lines.add("          http2_protocol_options:");
        lines.add("            connection_keepalive: { interval: 30s, timeout: 5s }");
        if (tokenPath != null) {
            tokenFilter(lines, tokenFileOf(tokenPath));
        }
        if (tlsCa != null) {
            lines.add("    transport_socket:");
            lines.add("      name: envoy.transport_sockets.tls");
            lines.add("      typed_config:");
            lines.add(
                    "        \"@type\": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext");
            if (nodes.size() == 1 && !nodes.get(0).isAddress()) {
                lines.add("        sni: " + quoted(nodes.get(0).host));
            }
            lines.add("        common_tls_context:");
            lines.add("          alpn_protocols: [h2]");
            if (tlsCertificate != null && tlsKey != null) {
                lines.add("          tls_certificates:");
                lines.add("          - certificate_chain: { filename: " + quoted(tlsCertificate) + " }");
                lines.add("            private_key: { filename: " + quoted(tlsKey) + " }");
            }
            lines.add("          validation_context:");
            lines.add("            trusted_ca: { filename: " + quoted(tlsCa) + " }");
            lines.add("            match_typed_subject_alt_names:");
            for (Node node : nodes) {
                lines.add("            - san_type: " + (node.isAddress() ? "IP_ADDRESS" : "DNS"));
                lines.add("              matcher: { exact: " + quoted(node.bare()) + " }");
            }
        }
        lines.add("admin:");
        lines.add("  address:");
        lines.add("    socket_address: { address: 127.0.0.1, port_value: 9901 }");
        return String.join("\n", lines) + "\n";
    }

    /** Makes Envoy send the token of a file with each stream; Envoy reads the file again when it is replaced. */
    private static void tokenFilter(List<String> lines, String resource) {
        lines.add("        http_filters:");
        lines.add("        - name: envoy.filters.http.credential_injector");
        lines.add("          typed_config:");
        lines.add("            \"@type\": type.googleapis.com/envoy.extensions.filters.http.credential_injector.v3"
                + ".CredentialInjector");
        lines.add("            credential:");
        lines.add("              name: envoy.http.injected_credentials.generic");
        lines.add("              typed_config:");
        lines.add("                \"@type\": type.googleapis.com/envoy.extensions.http.injected_credentials.generic.v3"
                + ".Generic");
        lines.add("                header: authorization");
        lines.add("                header_value_prefix: \"Bearer \"");
        lines.add("                credential:");
        lines.add("                  name: cairn-token");
        lines.add("                  sds_config: { path_config_source: { path: " + quoted(resource)
                + " }, resource_api_version: V3 }");
        lines.add("        - name: envoy.filters.http.upstream_codec");
        lines.add("          typed_config:");
        lines.add(
                "            \"@type\": type.googleapis.com/envoy.extensions.filters.http.upstream_codec.v3.UpstreamCodec");
    }

    private String grpc(Cairn cairn, List<Node> nodes) {
        Map<String, @Nullable Object> bootstrap = ordered(
                "xds_servers", nodes.stream().map(this::grpcServer).toList(), "node", node(metadataWithToken(cairn)));
        bootstrap.put("server_listener_resource_name_template", SERVER_LISTENER);
        return Json.indented(bootstrap) + "\n";
    }

    private Map<String, @Nullable Object> grpcServer(Node node) {
        Map<String, @Nullable Object> server = new LinkedHashMap<>();
        server.put("server_uri", node.toString());
        server.put(
                "channel_creds",
                List.of(tlsCa == null ? Map.of("type", "insecure") : ordered("type", "tls", "config", grpcTls(tlsCa))));
        server.put("server_features", List.of("xds_v3"));
        return server;
    }

    private Map<String, @Nullable Object> grpcTls(String ca) {
        Map<String, @Nullable Object> config = new LinkedHashMap<>();
        config.put("ca_certificate_file", ca);
        if (tlsCertificate != null && tlsKey != null) {
            config.put("certificate_file", tlsCertificate);
            config.put("private_key_file", tlsKey);
        }
        return config;
    }

    private Map<String, @Nullable Object> node(Map<String, @Nullable Object> metadata) {
        Map<String, @Nullable Object> node = ordered("id", nodeId(), "cluster", nodeCluster);
        if (!metadata.isEmpty()) {
            node.put("metadata", metadata);
        }
        if (!locality().isEmpty()) {
            node.put("locality", locality());
        }
        return node;
    }

    private static Map<String, @Nullable Object> ordered(String first, Object one, String second, Object two) {
        Map<String, @Nullable Object> ordered = new LinkedHashMap<>();
        ordered.put(first, one);
        ordered.put(second, two);
        return ordered;
    }

    private String mosn(Cairn cairn, List<Node> nodes) {
        Map<String, @Nullable Object> metadata = metadataWithToken(cairn);
        Map<String, @Nullable Object> cluster = ordered("name", "cairn", "type", "STRICT_DNS");
        cluster.put("connect_timeout", "2s");
        cluster.put("lb_policy", "RANDOM");
        cluster.put(
                "load_assignment",
                ordered(
                        "cluster_name",
                        "cairn",
                        "endpoints",
                        List.of(Map.of(
                                "lb_endpoints",
                                nodes.stream().map(MeshBootstrap::endpoint).toList()))));
        if (tlsCa != null && tlsCertificate != null && tlsKey != null) {
            cluster.put("transport_socket", ordered("name", "envoy.transport_sockets.tls", "typed_config", mosnTls()));
        }
        Map<String, @Nullable Object> ads = ordered("api_type", "GRPC", "transport_api_version", "V3");
        ads.put("grpc_services", List.of(Map.of("envoy_grpc", Map.of("cluster_name", "cairn"))));
        Map<String, @Nullable Object> dynamic = new LinkedHashMap<>();
        dynamic.put("ads_config", ads);
        dynamic.put("cds_config", Map.of("ads", Map.of()));
        dynamic.put("lds_config", Map.of("ads", Map.of()));
        Map<String, @Nullable Object> bootstrap = new LinkedHashMap<>();
        bootstrap.put("servers", List.of(ordered("default_log_path", "stdout", "default_log_level", "INFO")));
        bootstrap.put("node", node(metadata));
        bootstrap.put("dynamic_resources", dynamic);
        bootstrap.put("static_resources", Map.of("clusters", List.of(cluster)));
        return Json.indented(bootstrap) + "\n";
    }

    private static Map<String, @Nullable Object> endpoint(Node node) {
        Map<String, @Nullable Object> socket =
                ordered("address", node.bare(), "port_value", Integer.valueOf(node.port));
        return Map.of("endpoint", Map.of("address", Map.of("socket_address", socket)));
    }

    private Map<String, @Nullable Object> mosnTls() {
        Map<String, @Nullable Object> context = new LinkedHashMap<>();
        context.put(
                "tls_certificates",
                List.of(ordered(
                        "certificate_chain",
                        Map.of("filename", String.valueOf(tlsCertificate)),
                        "private_key",
                        Map.of("filename", String.valueOf(tlsKey)))));
        context.put("validation_context", Map.of("trusted_ca", Map.of("filename", String.valueOf(tlsCa))));
        return ordered(
                "@type",
                "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
                "common_tls_context",
                context);
    }
}
