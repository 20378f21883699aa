package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.nacos.api.naming.NamingService;
import com.alibaba.nacos.api.naming.pojo.Instance;
import com.alibaba.nacos.api.naming.pojo.ServiceInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Subscribers receive changes by themselves and others, over gRPC or UDP. */
public abstract class SubscriptionScenarios extends NamingScenarios {
    /** Whether the client has one source of lists, so that their order is kept. */
    boolean hearsInOrder() {
        return true;
    }

    @Test
    void notifiesASubscriberOfEachChangeByAnotherClient() throws Exception {
        String service = newService();
        Instance first = newInstance();
        Instance second = newInstance();
        NamingService one = clients().open();
        NamingService other = clients().open();
        var subscriber = new RecordingSubscriber();
        one.registerInstance(service, withMetadata(first, "version", "1"));
        clients().open().subscribe(service, subscriber);
        awaitNow(subscriber, first);

        one.registerInstance(service, withMetadata(first, "version", "2"));
        awaitMetadata(subscriber, "version", "2");
        one.registerInstance(service, withMetadata(first, "version", "3"));
        awaitMetadata(subscriber, "version", "3");
        other.registerInstance(service, copy(second));
        awaitNow(subscriber, first, second);
        one.deregisterInstance(service, copy(first));
        awaitNow(subscriber, second);
        other.deregisterInstance(service, copy(second));
        awaitNow(subscriber);
        one.registerInstance(service, copy(first));
        awaitNow(subscriber, first);
    }

    @Test
    void aSubscriberIsNotifiedOfItsOwnClientsChanges() throws Exception {
        String service = newService();
        Instance instance = newInstance();
        var subscriber = new RecordingSubscriber();
        NamingService client = clients().open();
        client.subscribe(service, subscriber);

        client.registerInstance(service, withMetadata(instance, "version", "1"));
        awaitMetadata(subscriber, "version", "1");
        client.registerInstance(service, withMetadata(instance, "version", "2"));
        awaitMetadata(subscriber, "version", "2");
        client.deregisterInstance(service, copy(instance));
        awaitNow(subscriber);
    }

    @Test
    void notifiesASubscriberWhenItsServiceAppears() throws Exception {
        String service = newService();
        String group = newName("group");
        Instance instance = newInstance();
        var subscriber = new RecordingSubscriber();
        clients().open().subscribe(service, group, subscriber);

        clients().open().registerInstance(service, group, copy(instance));

        awaitNow(subscriber, instance);
    }

    @Test
    void listOfASubscribedServiceFollowsByItself() throws Exception {
        String service = newService();
        Instance first = newInstance();
        Instance second = newInstance();
        clients().open().registerInstance(service, copy(first));
        NamingService consumer = clients().open();
        assertThat(addresses(consumer.getAllInstances(service))).containsExactly(first.toInetAddr());

        clients().open().registerInstance(service, copy(second));

        patiently().untilAsserted(() -> assertThat(addresses(consumer.getAllInstances(service)))
                .containsExactlyInAnyOrder(first.toInetAddr(), second.toInetAddr()));
    }

    @Test
    void allSubscribersOfAllClientsHear() throws Exception {
        String service = newService();
        Instance instance = newInstance();
        var subscribers = new ArrayList<RecordingSubscriber>();
        for (int i = 0; i < 3; i++) {
            NamingService client = clients().open();
            for (int j = 0; j < 2; j++) {
                var subscriber = new RecordingSubscriber();
                client.subscribe(service, subscriber);
                subscribers.add(subscriber);
            }
        }

        clients().open().registerInstance(service, copy(instance));

        for (RecordingSubscriber subscriber : subscribers) {
            awaitNow(subscriber, instance);
        }
    }

    @Test
    void notifiesTheRemainingSubscriberAfterAnUnsubscribe() throws Exception {
        String service = newService();
        Instance instance = newInstance();
        var leaving = new RecordingSubscriber();
        var staying = new RecordingSubscriber();
        NamingService consumer = clients().open();
        NamingService provider = clients().open();
        consumer.subscribe(service, leaving);
        consumer.subscribe(service, staying);
        provider.registerInstance(service, withMetadata(instance, "version", "1"));
        awaitMetadata(leaving, "version", "1");
        awaitMetadata(staying, "version", "1");

        consumer.unsubscribe(service, leaving);
        int heard = leaving.count();
        provider.registerInstance(service, withMetadata(instance, "version", "2"));
        awaitMetadata(staying, "version", "2");
        provider.registerInstance(service, withMetadata(instance, "version", "3"));
        awaitMetadata(staying, "version", "3");

        assertThat(leaving.count()).isEqualTo(heard);
    }

    @Test
    void doesNotNotifyBetweenUnsubscribeAndSubscribe() throws Exception {
        String service = newService();
        Instance instance = newInstance();
        var left = new RecordingSubscriber();
        var control = new RecordingSubscriber();
        NamingService consumer = clients().open();
        NamingService provider = clients().open();
        clients().open().subscribe(service, control);
        consumer.subscribe(service, left);
        provider.registerInstance(service, withMetadata(instance, "version", "1"));
        awaitMetadata(left, "version", "1");

        consumer.unsubscribe(service, left);
        int heard = left.count();
        for (String version : List.of("2", "3")) {
            provider.registerInstance(service, withMetadata(instance, "version", version));
            awaitMetadata(control, "version", version);
        }
        var returned = new RecordingSubscriber();
        consumer.subscribe(service, returned);
        provider.registerInstance(service, withMetadata(instance, "version", "4"));

        awaitMetadata(returned, "version", "4");
        assertThat(left.count()).isEqualTo(heard);
    }

    @Test
    void notifiesASubscriberOfAClusterOnlyOfThatCluster() throws Exception {
        String service = newService();
        Instance east = newInstance("east");
        Instance west = newInstance("west");
        var inEast = new RecordingSubscriber();
        var everywhere = new RecordingSubscriber();
        NamingService eastProvider = clients().open();
        clients().open().subscribe(service, List.of("east"), inEast);
        clients().open().subscribe(service, everywhere);

        clients().open().registerInstance(service, copy(west));
        awaitNow(everywhere, west);
        eastProvider.registerInstance(service, copy(east));
        awaitNow(everywhere, east, west);
        awaitNow(inEast, east);
        eastProvider.deregisterInstance(service, copy(east));
        awaitNow(everywhere, west);
        awaitNow(inEast);

        assertThat(inEast.lists())
                .allSatisfy(list -> assertThat(addresses(list)).doesNotContain(west.toInetAddr()));
    }

    @Test
    void subscribersHearOnlyTheirGroupAndNamespace() throws Exception {
        String service = newService();
        String group = newName("group");
        Instance inDefault = newInstance();
        Instance inGroup = newInstance();
        Instance inDev = newInstance();
        NamingService unnamed = clients().open();
        NamingService dev = clients().open("dev-7f3a");
        var ofDefault = new RecordingSubscriber();
        var ofGroup = new RecordingSubscriber();
        var ofDev = new RecordingSubscriber();
        unnamed.subscribe(service, ofDefault);
        unnamed.subscribe(service, group, ofGroup);
        dev.subscribe(service, ofDev);

        dev.registerInstance(service, copy(inDev));
        awaitNow(ofDev, inDev);
        clients().open().registerInstance(service, group, copy(inGroup));
        awaitNow(ofGroup, inGroup);
        clients().open("public").registerInstance(service, copy(inDefault));
        awaitNow(ofDefault, inDefault);

        assertThat(ofDefault.lists())
                .allSatisfy(list -> assertThat(addresses(list)).isSubsetOf(inDefault.toInetAddr()));
        assertThat(ofGroup.lists())
                .allSatisfy(list -> assertThat(addresses(list)).isSubsetOf(inGroup.toInetAddr()));
        assertThat(ofDev.lists()).allSatisfy(list -> assertThat(addresses(list)).isSubsetOf(inDev.toInetAddr()));
    }

    @Test
    void disabledInstanceLeavesTheSubscribersList() throws Exception {
        String service = newService();
        Instance always = newInstance();
        Instance sometimes = newInstance();
        var subscriber = new RecordingSubscriber();
        NamingService provider = clients().open();
        clients().open().registerInstance(service, copy(always));
        provider.registerInstance(service, copy(sometimes));
        clients().open().subscribe(service, subscriber);
        awaitNow(subscriber, always, sometimes);

        Instance disabled = copy(sometimes);
        disabled.setEnabled(false);
        provider.registerInstance(service, disabled);

        awaitNow(subscriber, always);
    }

    @Test
    void clientListsItsSubscriptions() throws Exception {
        String service = newService();
        String group = newName("group");
        String other = newService();
        var subscriber = new RecordingSubscriber();
        NamingService consumer = clients().open();
        consumer.subscribe(service, group, subscriber);
        consumer.subscribe(other, subscriber);
        assertThat(consumer.getSubscribeServices().stream()
                        .map(ServiceInfo::getName)
                        .collect(Collectors.toList()))
                .containsExactlyInAnyOrder(service, other);

        consumer.unsubscribe(service, group, subscriber);

        assertThat(consumer.getSubscribeServices())
                .extracting(ServiceInfo::getName)
                .containsExactly(other);
    }

    @Test
    void subscribersConvergeOnTheLastOfManyRapidChanges() throws Exception {
        String service = newService();
        Instance instance = newInstance();
        var subscribers = new ArrayList<RecordingSubscriber>();
        for (int i = 0; i < 5; i++) {
            var subscriber = new RecordingSubscriber();
            clients().open().subscribe(service, subscriber);
            subscribers.add(subscriber);
        }
        NamingService provider = clients().openWithoutRedo();
        for (int version = 1; version <= 50; version++) {
            provider.registerInstance(service, withMetadata(instance, "version", Integer.toString(version)));
        }

        for (RecordingSubscriber subscriber : subscribers) {
            awaitMetadata(subscriber, "version", "50");
            if (hearsInOrder()) {
                assertThat(subscriber.lists())
                        .as("no moment without the instance")
                        .allSatisfy(list -> assertThat(list).hasSize(1));
                assertThat(subscriber.lists())
                        .as("no step back to an older state")
                        .extracting(list ->
                                Integer.parseInt(list.get(0).getMetadata().get("version")))
                        .isSorted()
                        .doesNotHaveDuplicates();
            }
        }
    }

    @Test
    void everySubscriberGetsAllOfALongList() throws Exception {
        String service = newService();
        List<Instance> instances = newInstances(100);
        instances.forEach(instance -> instance.addMetadata("zone", "東-" + instance.getIp()));
        var subscriber = new RecordingSubscriber();
        clients().open().subscribe(service, subscriber);

        registerAll(clients().open(), service, instances);

        awaitNow(subscriber, instances);
    }
}
