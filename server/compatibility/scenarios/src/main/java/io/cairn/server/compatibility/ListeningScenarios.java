package io.cairn.server.compatibility;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.alibaba.nacos.api.config.ConfigChangeEvent;
import com.alibaba.nacos.api.config.ConfigChangeItem;
import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.config.ConfigType;
import com.alibaba.nacos.client.config.listener.impl.AbstractConfigChangeListener;
import io.cairn.testing.HangLimit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Listeners receive changes, in all generations. */
public abstract class ListeningScenarios extends ConfigScenarios {
    @Test
    void notifiesAListenerOfChangesAndTheRemoval() throws Exception {
        String dataId = newDataId();
        var listener = new RecordingListener();
        ConfigService reader = clients().open();
        ConfigService writer = clients().open();
        writer.publishConfig(dataId, GROUP, "first");
        reader.addListener(dataId, GROUP, listener);
        awaitNow(listener, "first");

        writer.publishConfig(dataId, GROUP, "second");
        awaitNow(listener, "second");
        writer.removeConfig(dataId, GROUP);
        awaitNow(listener, null);
        writer.publishConfig(dataId, GROUP, "third");
        awaitNow(listener, "third");

        assertThat(listener.contents()).containsExactly("first", "second", null, "third");
    }

    @Test
    void notifiesAListenerWhenItsConfigAppears() throws Exception {
        String dataId = newDataId();
        var listener = new RecordingListener();
        clients().open().addListener(dataId, GROUP, listener);

        clients().open().publishConfig(dataId, GROUP, "here");

        awaitNow(listener, "here");
        assertThat(listener.contents()).containsExactly("here");
    }

    @Test
    void allListenersOfAConfigHearTheChange() throws Exception {
        String dataId = newDataId();
        var listeners = new ArrayList<RecordingListener>();
        for (ConfigService reader : clients().open(2)) {
            for (int i = 0; i < 3; i++) {
                var listener = new RecordingListener();
                reader.addListener(dataId, GROUP, listener);
                listeners.add(listener);
            }
        }

        clients().open().publishConfig(dataId, GROUP, "for all");

        for (RecordingListener listener : listeners) {
            awaitNow(listener, "for all");
            assertThat(listener.contents()).containsExactly("for all");
        }
    }

    @Test
    void notifiesTheRemainingListenerAfterAnotherWasRemoved() throws Exception {
        String dataId = newDataId();
        var leaving = new RecordingListener();
        var staying = new RecordingListener();
        ConfigService reader = clients().open();
        ConfigService writer = clients().open();
        reader.addListener(dataId, GROUP, leaving);
        reader.addListener(dataId, GROUP, staying);
        writer.publishConfig(dataId, GROUP, "first");
        awaitNow(leaving, "first");
        awaitNow(staying, "first");

        reader.removeListener(dataId, GROUP, leaving);
        writer.publishConfig(dataId, GROUP, "second");
        awaitNow(staying, "second");
        writer.publishConfig(dataId, GROUP, "third");
        awaitNow(staying, "third");

        assertThat(leaving.contents()).containsExactly("first");
    }

    @Test
    void stopsWatchingWithoutListenersAndWatchesAgainWithTheNext() throws Exception {
        String dataId = newDataId();
        var left = new RecordingListener();
        var control = new RecordingListener();
        ConfigService reader = clients().open();
        clients().open().addListener(dataId, GROUP, control);
        ConfigService writer = clients().open();
        reader.addListener(dataId, GROUP, left);
        writer.publishConfig(dataId, GROUP, "first");
        awaitNow(left, "first");

        reader.removeListener(dataId, GROUP, left);
        for (String content : List.of("second", "third")) {
            writer.publishConfig(dataId, GROUP, content);
            awaitNow(control, content);
        }
        var next = new RecordingListener();
        reader.addListener(dataId, GROUP, next);
        writer.publishConfig(dataId, GROUP, "fourth");

        awaitNow(next, "fourth");
        assertThat(left.contents()).containsExactly("first");
    }

    @Test
    void getConfigAndSignListenerNotifiesOnlyOfLaterChanges() throws Exception {
        String dataId = newDataId();
        var listener = new RecordingListener();
        ConfigService reader = clients().open();
        ConfigService writer = clients().open();
        writer.publishConfig(dataId, GROUP, "got");

        assertThat(reader.getConfigAndSignListener(dataId, GROUP, READ_TIMEOUT_MS, listener))
                .isEqualTo("got");
        writer.publishConfig(dataId, GROUP, "heard");

        awaitNow(listener, "heard");
        assertThat(listener.contents()).containsExactly("heard");
    }

    @Test
    void listenersHearOnlyTheirOwnNamespace() throws Exception {
        String dataId = newDataId();
        var inDefault = new RecordingListener();
        var inPublic = new RecordingListener();
        var inDev = new RecordingListener();
        ConfigService unnamed = clients().open();
        ConfigService named = clients().open("public");
        ConfigService dev = clients().open("dev-7f3a");
        unnamed.addListener(dataId, GROUP, inDefault);
        named.addListener(dataId, GROUP, inPublic);
        dev.addListener(dataId, GROUP, inDev);

        dev.publishConfig(dataId, GROUP, "dev");
        awaitNow(inDev, "dev");
        unnamed.publishConfig(dataId, GROUP, "default");
        awaitNow(inDefault, "default");
        awaitNow(inPublic, "default");
        named.publishConfig(dataId, GROUP, "public");
        awaitNow(inDefault, "public");
        awaitNow(inPublic, "public");
        dev.removeConfig(dataId, GROUP);
        awaitNow(inDev, null);

        assertThat(inDefault.contents()).containsExactly("default", "public");
        assertThat(inPublic.contents()).containsExactly("default", "public");
        assertThat(inDev.contents()).containsExactly("dev", null);
    }

    @Test
    void typedListenerGetsTheChangedProperties() throws Exception {
        String dataId = newDataId();
        BlockingQueue<ConfigChangeEvent> events = new LinkedBlockingQueue<>();
        clients().open().addListener(dataId, GROUP, new AbstractConfigChangeListener() {
            @Override
            public void receiveConfigChange(ConfigChangeEvent event) {
                events.add(event);
            }
        });
        ConfigService writer = clients().open();

        writer.publishConfig(dataId, GROUP, "a=1\nb=2\n", ConfigType.PROPERTIES.getType());
        assertThat(newValues(events)).isEqualTo(Map.of("a", "1", "b", "2"));
        writer.publishConfig(dataId, GROUP, "a=9\nb=2\n", ConfigType.PROPERTIES.getType());
        assertThat(newValues(events)).isEqualTo(Map.of("a", "9"));
    }

    private static Map<String, String> newValues(BlockingQueue<ConfigChangeEvent> events) throws InterruptedException {
        ConfigChangeEvent event = events.poll(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        assertThat(event).isNotNull();
        var values = new HashMap<String, String>();
        for (ConfigChangeItem item : event.getChangeItems()) {
            values.put(item.getKey(), item.getNewValue());
        }
        return values;
    }

    @Test
    void fiveHundredConfigsListenedByOneClientConverge() throws Exception {
        List<String> dataIds = newDataIds(500);
        ConfigService writer = clients().open();
        Map<String, String> first = numbered("first", dataIds);
        Map<String, String> last = numbered("last", dataIds);
        publish(writer, only(dataIds.subList(0, 250), first));

        ConfigService reader = clients().open();
        var listeners = new LinkedHashMap<String, RecordingListener>();
        for (String dataId : dataIds) {
            var listener = new RecordingListener();
            reader.addListener(dataId, GROUP, listener);
            listeners.put(dataId, listener);
        }
        publish(writer, only(dataIds.subList(250, 500), first));
        awaitNow(listeners, first);

        publish(writer, last);
        awaitNow(listeners, last);
    }

    private static Map<String, String> only(List<String> dataIds, Map<String, String> contents) {
        var chosen = new LinkedHashMap<>(contents);
        chosen.keySet().retainAll(dataIds);
        return chosen;
    }

    @Test
    void twentyClientsConvergeOnTheLastOfFiftyRapidPublishes() throws Exception {
        String dataId = newDataId();
        var listeners = new ArrayList<RecordingListener>();
        for (ConfigService reader : clients().open(20)) {
            var listener = new RecordingListener();
            reader.addListener(dataId, GROUP, listener);
            listeners.add(listener);
        }
        ConfigService writer = clients().open();
        writer.publishConfig(dataId, GROUP, "0");
        for (RecordingListener listener : listeners) {
            awaitNow(listener, "0");
        }

        for (int i = 1; i <= 50; i++) {
            assertThat(writer.publishConfig(dataId, GROUP, Integer.toString(i))).isTrue();
        }

        for (RecordingListener listener : listeners) {
            awaitNow(listener, "50");
            assertThat(listener.contents())
                    .as("no step back to an older state")
                    .extracting(Integer::parseInt)
                    .isSorted()
                    .doesNotHaveDuplicates();
        }
    }

    @Test
    @HangLimit
    void shutDownReturnsAndDisturbsNoOther() throws Exception {
        String dataId = newDataId();
        var staying = new RecordingListener();
        clients().open().addListener(dataId, GROUP, staying);
        ConfigService leaving = clients().open();
        ConfigService writer = clients().open();
        var left = new RecordingListener();
        leaving.addListener(dataId, GROUP, left);
        writer.publishConfig(dataId, GROUP, "first");
        awaitNow(left, "first");
        awaitNow(staying, "first");
        assertThat(leaving.getServerStatus()).isEqualTo("UP");

        assertThatCode(leaving::shutDown).doesNotThrowAnyException();

        writer.publishConfig(dataId, GROUP, "second");
        awaitNow(staying, "second");
        assertThat(writer.getConfig(dataId, GROUP, READ_TIMEOUT_MS)).isEqualTo("second");
        assertThat(writer.getServerStatus()).isEqualTo("UP");
    }
}
