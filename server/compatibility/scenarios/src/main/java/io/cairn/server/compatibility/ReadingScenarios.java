package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.alibaba.nacos.api.PropertyKeyConst;
import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.exception.NacosException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Publish, get and remove, in all generations. */
public abstract class ReadingScenarios extends ConfigScenarios {
    @Test
    void clientIsTheOfficialOneOfThisModule() throws IOException {
        var written = new Properties();
        try (InputStream coordinates = ConfigService.class
                .getClassLoader()
                .getResourceAsStream("META-INF/maven/com.alibaba.nacos/nacos-client/pom.properties")) {
            assertThat(coordinates).isNotNull();
            written.load(coordinates);
        }
        assertThat(written).containsEntry("version", System.getProperty("cairn.compatibility.nacos-client"));
    }

    @Test
    void publishedContentIsRead() throws Exception {
        String dataId = newDataId();
        ConfigService writer = clients().open();
        ConfigService reader = clients().open();

        assertThat(writer.publishConfig(dataId, GROUP, "a: 1")).isTrue();

        assertThat(reader.getConfig(dataId, GROUP, READ_TIMEOUT_MS)).isEqualTo("a: 1");
        assertThat(writer.getConfig(dataId, GROUP, READ_TIMEOUT_MS)).isEqualTo("a: 1");
    }

    @Test
    void absentConfigReadsAsNull() throws Exception {
        assertThat(clients().open().getConfig(newDataId(), GROUP, READ_TIMEOUT_MS))
                .isNull();
    }

    @Test
    void anAcknowledgedPublishIsReadAtOnce() throws Exception {
        String dataId = newDataId();
        ConfigService writer = clients().open();
        ConfigService reader = clients().open();

        for (int i = 0; i < 30; i++) {
            assertThat(writer.publishConfig(dataId, GROUP, "version " + i)).isTrue();
            assertThat(reader.getConfig(dataId, GROUP, READ_TIMEOUT_MS)).isEqualTo("version " + i);
        }
    }

    @Test
    void removedConfigReadsAsNullUntilItIsPublishedAgain() throws Exception {
        String dataId = newDataId();
        ConfigService writer = clients().open();
        ConfigService reader = clients().open();
        writer.publishConfig(dataId, GROUP, "first");
        assertThat(reader.getConfig(dataId, GROUP, READ_TIMEOUT_MS)).isEqualTo("first");

        assertThat(writer.removeConfig(dataId, GROUP)).isTrue();
        assertThat(reader.getConfig(dataId, GROUP, READ_TIMEOUT_MS)).isNull();
        assertThat(writer.removeConfig(dataId, GROUP)).as("nothing is left").isTrue();

        assertThat(writer.publishConfig(dataId, GROUP, "second")).isTrue();
        assertThat(reader.getConfig(dataId, GROUP, READ_TIMEOUT_MS)).isEqualTo("second");
    }

    @ParameterizedTest
    @CsvSource({"properties,k=v", "xml,<k/>", "json,{}", "text,k", "html,<p>", "yaml,k: v", "toml,k = 1"})
    void typeIsStoredWithTheContent(String type, String content) throws Exception {
        String dataId = newDataId();

        assertThat(clients().open().publishConfig(dataId, GROUP, content, type)).isTrue();

        var stored = http().get(dataId, GROUP);
        assertThat(stored.headers().firstValue("Config-Type")).hasValue(type);
        assertThat(stored.body()).isEqualTo(content);
    }

    @Test
    void groupsHaveConfigsOfTheirOwn() throws Exception {
        String dataId = newDataId();
        ConfigService client = clients().open();
        client.publishConfig(dataId, "BLUE", "blue");
        client.publishConfig(dataId, "GREEN", "green");

        client.removeConfig(dataId, "GREEN");

        assertThat(client.getConfig(dataId, "BLUE", READ_TIMEOUT_MS)).isEqualTo("blue");
        assertThat(client.getConfig(dataId, "GREEN", READ_TIMEOUT_MS)).isNull();
        assertThat(client.getConfig(dataId, GROUP, READ_TIMEOUT_MS)).isNull();
    }

    @Test
    void namespacesHaveConfigsOfTheirOwn() throws Exception {
        String dataId = newDataId();
        ConfigService inDefault = clients().open();
        ConfigService inDev = clients().open("dev-7f3a");
        ConfigService inTest = clients().open("test-7f3a");
        inDefault.publishConfig(dataId, GROUP, "default");
        inDev.publishConfig(dataId, GROUP, "dev");

        assertThat(inTest.getConfig(dataId, GROUP, READ_TIMEOUT_MS)).isNull();
        assertThat(inDev.getConfig(dataId, GROUP, READ_TIMEOUT_MS)).isEqualTo("dev");
        assertThat(inDefault.getConfig(dataId, GROUP, READ_TIMEOUT_MS)).isEqualTo("default");

        assertThat(inDev.removeConfig(dataId, GROUP)).isTrue();

        assertThat(inDev.getConfig(dataId, GROUP, READ_TIMEOUT_MS)).isNull();
        assertThat(inDefault.getConfig(dataId, GROUP, READ_TIMEOUT_MS)).isEqualTo("default");
    }

    @Test
    void publicIsTheNameOfTheDefaultNamespace() throws Exception {
        String dataId = newDataId();
        ConfigService unnamed = clients().open();
        ConfigService named = clients().open("public");

        assertThat(named.publishConfig(dataId, GROUP, "from public")).isTrue();
        assertThat(unnamed.getConfig(dataId, GROUP, READ_TIMEOUT_MS)).isEqualTo("from public");
        assertThat(unnamed.publishConfig(dataId, GROUP, "from nowhere")).isTrue();
        assertThat(named.getConfig(dataId, GROUP, READ_TIMEOUT_MS)).isEqualTo("from nowhere");

        assertThat(http().get(dataId, GROUP).body()).isEqualTo("from nowhere");
        assertThat(http().get(dataId, GROUP, "public").body()).isEqualTo("from nowhere");
        assertThat(named.removeConfig(dataId, GROUP)).isTrue();
        assertThat(unnamed.getConfig(dataId, GROUP, READ_TIMEOUT_MS)).isNull();
    }

    @ParameterizedTest(name = "text {index}") // The values would not fit into a report
    @ValueSource(
            strings = {
                "配置中心：名称=值",
                "😀🧗🏽‍♀️👩‍👩‍👧‍👦 four bytes each, joined",
                "مرحبا שלום \u202bright\u202c to left",
                "tab\there\r\nnext line\n\n  indented\ttrailing space \n",
                "\"double\" 'single' `back` \\ \\\\ \\n \\u0041 / // %20 %% + & = ? # ; , <>{}[]|^~$!",
                "\u0001\u0002\u001f\u007f\u0085\u00a0\u2028\u2029\ufeff",
                " leading and trailing blanks ",
                "e\u0301 is not \u00e9"
            })
    void anyTextIsReadBackUnchanged(String content) throws Exception {
        String dataId = newDataId();
        ConfigService reader = clients().open();
        var listener = new RecordingListener();
        reader.addListener(dataId, GROUP, listener);

        assertThat(clients().open().publishConfig(dataId, GROUP, content)).isTrue();

        assertThat(reader.getConfig(dataId, GROUP, READ_TIMEOUT_MS)).isEqualTo(content);
        awaitNow(listener, content);
        var stored = http().get(dataId, GROUP);
        assertThat(stored.body()).isEqualTo(content);
        assertThat(stored.headers().firstValue("Content-MD5")).hasValue(md5(content));
    }

    @Test
    void largeContentIsReadBackUnchanged() throws Exception {
        String dataId = newDataId();
        ConfigService reader = clients().open();
        var listener = new RecordingListener();
        reader.addListener(dataId, GROUP, listener);
        ConfigService writer = clients().open();

        for (String content : new String[] {large("first"), large("second")}) {
            // The client gives up after 3 s, which a busy machine may need for this size.
            patiently().until(() -> writer.publishConfig(dataId, GROUP, content));

            assertThat(reader.getConfig(dataId, GROUP, READ_TIMEOUT_MS).equals(content))
                    .as("content is the published one")
                    .isTrue();
            patiently().until(() -> listener.hasNow(content));
            assertThat(http().get(dataId, GROUP).headers().firstValue("Content-MD5"))
                    .hasValue(md5(content));
        }
    }

    private String large(String first) {
        var content = new StringBuilder(first);
        for (int line = 0; content.length() < largeContentChars(); line++) {
            content.append("\nkey.").append(line).append('=').append(md5(first + line));
        }
        return content.append("\n末尾 😀\n").toString();
    }

    /** Below the client's limits. */
    int largeContentChars() {
        return 1_000_000;
    }

    @Test
    void illegalNamesAndBlankContentAreRefusedAndChangeNothing() throws Exception {
        String dataId = newDataId();
        ConfigService client = clients().open();
        client.publishConfig(dataId, GROUP, "untouched");

        for (String blank : new String[] {"", "  ", "\n\t"}) {
            assertThatThrownBy(() -> client.publishConfig(dataId, GROUP, blank)).isInstanceOf(NacosException.class);
        }
        assertThatThrownBy(() -> client.publishConfig(dataId + "/x", GROUP, "new"))
                .isInstanceOf(NacosException.class);
        assertThatThrownBy(() -> client.publishConfig(dataId, "no group", "new"))
                .isInstanceOf(NacosException.class);
        assertThatThrownBy(() -> client.getConfig("", GROUP, READ_TIMEOUT_MS)).isInstanceOf(NacosException.class);

        assertThat(client.getConfig(dataId, GROUP, READ_TIMEOUT_MS)).isEqualTo("untouched");
    }

    @Test
    void clientStaysUsableAfterTheServerRefusesAName() throws Exception {
        String dataId = newDataId();
        ConfigService client = clients().open();
        String tooLong = dataId + "x".repeat(257 - dataId.length());

        assertThat(client.publishConfig(tooLong, GROUP, "new")).isFalse();
        assertThat(client.publishConfig(dataId, "g".repeat(129), "new")).isFalse();
        assertThat(client.publishConfig("配置-" + dataId, GROUP, "new")).isFalse();

        assertThat(client.getConfig(tooLong, GROUP, READ_TIMEOUT_MS)).isNull();
        assertThat(client.publishConfig(dataId, GROUP, "fine")).isTrue();
        assertThat(client.getConfig(dataId, GROUP, READ_TIMEOUT_MS)).isEqualTo("fine");
        assertThat(client.getServerStatus()).isEqualTo("UP");
    }

    @Test
    void clientWithAPasswordWorksAgainstAnOpenServer() throws Exception {
        String dataId = newDataId();
        ConfigService client =
                clients().open(Map.of(PropertyKeyConst.USERNAME, "nacos", PropertyKeyConst.PASSWORD, "not asked for"));
        var listener = new RecordingListener();
        client.addListener(dataId, GROUP, listener);

        assertThat(client.publishConfig(dataId, GROUP, "open")).isTrue();

        assertThat(client.getConfig(dataId, GROUP, READ_TIMEOUT_MS)).isEqualTo("open");
        awaitNow(listener, "open");
    }
}
