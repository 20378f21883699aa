package io.cairn.server.storage;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.server.config.Author;
import io.cairn.server.config.ConfigAttributes;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.RemoveConfig;

/** Orders as the edges would give them. */
public final class SampleCommands {

    public static final Author ANNA = new Author("anna", "10.0.0.9");
    public static final ConfigAttributes PLAIN = ConfigAttributes.ofType(ConfigType.TEXT);

    private SampleCommands() {}

    public static ConfigKey key(String dataId) {
        return new ConfigKey(Namespace.DEFAULT, ConfigKey.DEFAULT_GROUP, dataId);
    }

    public static PublishConfig publish(String dataId, String content) {
        return publish(key(dataId), content, null, PLAIN, ANNA);
    }

    public static PublishConfig publish(ConfigKey key, String content) {
        return publish(key, content, null, PLAIN, ANNA);
    }

    /** A publish that is refused unless the stored content's md5 is the expected one. */
    public static PublishConfig compareAndSet(String dataId, String content, String expectedMd5) {
        return publish(key(dataId), content, expectedMd5, PLAIN, ANNA);
    }

    public static PublishConfig publish(String dataId, String content, ConfigAttributes attributes) {
        return publish(key(dataId), content, null, attributes, ANNA);
    }

    public static PublishConfig publish(
            ConfigKey key, String content, String expectedMd5, ConfigAttributes attributes, Author by) {
        byte[] utf8 = content.getBytes(UTF_8);
        return new PublishConfig(key, utf8, ContentDigest.of(utf8), expectedMd5, attributes, null, by);
    }

    /** A publish for the clients with that tag. */
    public static PublishConfig publishForTag(String tag, String dataId, String content, String expectedMd5) {
        PublishConfig forAll = publish(key(dataId), content, expectedMd5, PLAIN, ANNA);
        GrayRule rule = GrayRule.asked(null, tag).orElseThrow();
        return new PublishConfig(
                forAll.key(), forAll.utf8(), forAll.digest(), expectedMd5, forAll.attributes(), rule, ANNA);
    }

    /** A publish for the clients that the rule selects. */
    public static PublishConfig publishBy(GrayRule rule, String dataId, String content) {
        PublishConfig forAll = publish(key(dataId), content, null, PLAIN, ANNA);
        return new PublishConfig(forAll.key(), forAll.utf8(), forAll.digest(), null, forAll.attributes(), rule, ANNA);
    }

    /** A publish for the clients whose labels fulfil the condition, as the release {@code labelled}. */
    public static PublishConfig publishForLabel(String condition, String dataId, String content) {
        return publishBy(GrayRule.named("labelled", GrayRule.LABEL, null, condition, 1), dataId, content);
    }

    public static RemoveConfig removeForTag(String tag, String dataId) {
        return new RemoveConfig(key(dataId), GrayRule.nameOfTag(tag), ANNA);
    }

    public static RemoveConfig remove(String dataId) {
        return remove(key(dataId), ANNA);
    }

    public static RemoveConfig remove(ConfigKey key, Author by) {
        return new RemoveConfig(key, null, by);
    }

    public static String md5(String content) {
        return ContentDigest.of(content).toString();
    }
}
