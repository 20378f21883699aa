package io.cairn.server.wiring.settings;

import io.cairn.server.tls.TlsSettings;
import io.cairn.server.tls.TlsSettings.ClientAuthentication;
import io.cairn.server.tls.TlsSettings.ClientIdentity;
import io.cairn.server.tls.TlsSettings.ClientNames;
import io.cairn.server.tls.TlsSettings.PemFile;
import io.cairn.server.tls.TlsSettings.PlainText;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.env.Environment;

/** Reads the encryption of the ports from the settings of Cairn or Nacos. */
public final class TlsKeys {

    private static final String CAIRN = "cairn.tls.";
    private static final String NACOS = "nacos.remote.server.rpc.tls.";
    private static final Set<String> PROTOCOLS = Set.of("TLSv1.2", "TLSv1.3");
    private static final List<String> SPRING =
            List.of("server.ssl.key-store", "server.ssl.certificate", "server.ssl.bundle");

    private static final Logger log = LoggerFactory.getLogger(TlsKeys.class);

    private final Environment environment;
    private final TlsProperties properties;
    private final Path home;

    public TlsKeys(Environment environment, TlsProperties properties, Path home) {
        this.environment = environment;
        this.properties = properties;
        this.home = home;
    }

    /**
     * Null without encryption.
     *
     * @throws io.cairn.api.error.CairnException {@code INVALID_PARAMETER} with setting and expectation
     */
    public @Nullable TlsSettings read() {
        for (String key : SPRING) {
            if (NacosSettings.value(environment, key) != null
                    && NacosSettings.flag(environment, true, "server.ssl.enabled")) {
                throw NacosSettings.refusal(key + ": is not how this server is told to speak HTTPS (expected: " + CAIRN
                        + "certificate and " + CAIRN + "private-key, files in PEM)");
            }
        }
        boolean nacos = NacosSettings.flag(environment, false, NACOS + "enableTls");
        if (properties.certificate().isBlank() && properties.privateKey().isBlank()) {
            if (nacos) {
                return ofNacos();
            }
            if (properties.clientAuthentication() != ClientAuthentication.NONE
                    || properties.plainText() != PlainText.ACCEPTED) {
                throw NacosSettings.refusal(CAIRN + "client-authentication or " + CAIRN
                        + "plain-text is set, but no certificate (expected: " + CAIRN + "certificate and " + CAIRN
                        + "private-key)");
            }
            return null;
        }
        if (nacos) {
            log.warn("{}* is ignored, because {}* configures the encryption of the ports", NACOS, CAIRN);
        }
        return ofCairn();
    }

    private TlsSettings ofCairn() {
        ClientAuthentication authentication = properties.clientAuthentication();
        return new TlsSettings(
                file(CAIRN + "certificate", properties.certificate()),
                file(CAIRN + "private-key", properties.privateKey()),
                blankToNull(properties.privateKeyPassword()),
                trusted(authentication, CAIRN + "trusted-certificates", properties.trustedCertificates()),
                authentication,
                names(authentication),
                protocols(CAIRN + "protocols", properties.protocols()),
                properties.ciphers(),
                properties.plainText(),
                properties.plainText());
    }

    private TlsSettings ofNacos() {
        if (NacosSettings.flag(environment, false, NACOS + "trustAll")) {
            throw NacosSettings.refusal(NACOS + "trustAll: true would believe whatever certificate a client shows"
                    + " (expected: " + NACOS + "trustCollectionCertFile, with the certificates that sign them)");
        }
        ClientAuthentication authentication = NacosSettings.flag(environment, false, NACOS + "mutualAuthEnable")
                ? ClientAuthentication.NEED
                : ClientAuthentication.NONE;
        String protocols = NacosSettings.value(environment, NACOS + "protocols");
        String ciphers = NacosSettings.value(environment, NACOS + "ciphers");
        return new TlsSettings(
                file(NACOS + "certChainFile", text("certChainFile")),
                file(NACOS + "certPrivateKey", text("certPrivateKey")),
                NacosSettings.value(environment, NACOS + "certPrivateKeyPassword"),
                trusted(authentication, NACOS + "trustCollectionCertFile", text("trustCollectionCertFile")),
                authentication,
                names(authentication),
                protocols == null
                        ? protocols(CAIRN + "protocols", properties.protocols())
                        : protocols(NACOS + "protocols", List.of(protocols.split("\\s*,\\s*"))),
                ciphers == null ? List.of() : List.of(ciphers.split("\\s*,\\s*")),
                NacosSettings.flag(environment, true, NACOS + "compatibility") ? PlainText.ACCEPTED : PlainText.REFUSED,
                // Nacos's settings concern gRPC alone; their clients log in over HTTP.
                PlainText.ACCEPTED);
    }

    private String text(String key) {
        String value = NacosSettings.value(environment, NACOS + key);
        return value == null ? "" : value;
    }

    private PemFile file(String setting, String path) {
        if (path.isBlank()) {
            throw NacosSettings.refusal(setting + ": is empty (expected: a file in PEM)");
        }
        String file = path.startsWith("file:") ? path.substring("file:".length()) : path;
        return new PemFile(setting, home.resolve(file).normalize());
    }

    private @Nullable PemFile trusted(ClientAuthentication authentication, String setting, String path) {
        if (authentication == ClientAuthentication.NONE) {
            return null;
        }
        if (path.isBlank()) {
            throw NacosSettings.refusal(setting + ": is empty, but clients are asked for certificates (expected: a file"
                    + " in PEM with the certificates that sign theirs)");
        }
        return file(setting, path);
    }

    private ClientNames names(ClientAuthentication authentication) {
        ClientIdentity identity = properties.clientIdentity();
        if (identity != ClientIdentity.NONE && authentication == ClientAuthentication.NONE) {
            throw NacosSettings.refusal(CAIRN + "client-identity: " + identity + ", but clients are not asked for"
                    + " certificates (expected: " + CAIRN + "client-authentication=want or need)");
        }
        try {
            return new ClientNames(identity, Pattern.compile(properties.clientIdentityPattern()));
        } catch (PatternSyntaxException e) {
            throw NacosSettings.refusal(CAIRN + "client-identity-pattern: " + properties.clientIdentityPattern()
                    + " (expected: a regular expression; " + e.getDescription() + ")");
        }
    }

    private static List<String> protocols(String setting, List<String> names) {
        for (String name : names) {
            if (!PROTOCOLS.contains(name)) {
                throw NacosSettings.refusal(setting + ": " + name + " (expected: TLSv1.3, TLSv1.2 or both)");
            }
        }
        return names;
    }

    private static @Nullable String blankToNull(String text) {
        return text.isBlank() ? null : text;
    }
}
