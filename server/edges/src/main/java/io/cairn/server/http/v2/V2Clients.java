package io.cairn.server.http.v2;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.cairn.server.http.naming.ClientEndpoints;
import io.cairn.server.http.naming.NamingClients;
import io.cairn.server.http.naming.View;
import io.cairn.server.subscription.Subscriber;
import org.jspecify.annotations.Nullable;

final class V2Clients {

    static final ClientEndpoints.Views VIEWS = new ClientEndpoints.Views(
            new View<>(V2Client.class, V2Client::of),
            new View<>(V2PublishedService.class, V2PublishedService::of),
            new View<>(V2SubscribedService.class, V2SubscribedService::of),
            new View<>(V2Publisher.class, V2Publisher::of),
            new View<>(V2Subscriber.class, V2Subscriber::of));

    private V2Clients() {}

    /**
     * @param clientPort a text in this version
     * @param connectType null without a connection
     * @param appName null without a connection, also when only its instances remain; so is the version
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record V2Client(
            String clientId,
            boolean ephemeral,
            long lastUpdatedTime,
            String clientType,
            String clientIp,
            String clientPort,
            @Nullable String connectType,
            @Nullable String appName,
            @Nullable String version) {

        static V2Client of(NamingClients.Client client) {
            boolean isConnection = client.isConnection();
            return new V2Client(
                    client.id(),
                    client.isEphemeral(),
                    client.lastUpdatedMillis(),
                    isConnection ? "connection" : "ipPort",
                    client.ip(),
                    Integer.toString(client.port()),
                    isConnection ? "GRPC" : null,
                    isConnection ? client.app() : null,
                    isConnection ? client.version() : null);
        }
    }

    record V2PublishedService(String namespace, String group, String serviceName, Address registeredInstance) {

        static V2PublishedService of(ClientEndpoints.PublishedService published) {
            return new V2PublishedService(
                    published.service().namespace().id(),
                    published.service().group(),
                    published.service().name(),
                    new Address(
                            published.instance().ip(),
                            published.instance().port(),
                            published.instance().cluster()));
        }
    }

    record Address(String ip, int port, String cluster) {}

    record V2SubscribedService(String namespace, String group, String serviceName, Info subscriberInfo) {

        static V2SubscribedService of(ClientEndpoints.SubscribedService subscribed) {
            return new V2SubscribedService(
                    subscribed.service().namespace().id(),
                    subscribed.service().group(),
                    subscribed.service().name(),
                    new Info(
                            subscribed.subscriber().app(),
                            subscribed.subscriber().agent(),
                            NamingClients.address(subscribed.subscriber())));
        }
    }

    record Info(String app, String agent, String addr) {}

    record V2Publisher(String clientId, String ip, int port, String cluster) {

        static V2Publisher of(NamingClients.Published published) {
            return new V2Publisher(
                    published.clientId(),
                    published.instance().key().ip(),
                    published.instance().key().port(),
                    published.instance().key().cluster());
        }
    }

    record V2Subscriber(String clientId, String ip, int port) {

        static V2Subscriber of(Subscriber subscriber) {
            return new V2Subscriber(subscriber.clientId(), subscriber.ip(), subscriber.port());
        }
    }
}
