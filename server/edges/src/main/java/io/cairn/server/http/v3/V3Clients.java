package io.cairn.server.http.v3;

import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.http.naming.ClientEndpoints;
import io.cairn.server.http.naming.NamingClients;
import io.cairn.server.http.naming.View;
import io.cairn.server.subscription.Subscriber;
import org.jspecify.annotations.Nullable;

final class V3Clients {

    static final ClientEndpoints.Views VIEWS = new ClientEndpoints.Views(
            new View<>(RegistryClient.class, RegistryClient::of),
            new View<>(
                    ServiceOfClient.class,
                    published -> ServiceOfClient.of(
                            published.service(), ServicePublisher.of(null, published.instance()), null)),
            new View<>(
                    ServiceOfClient.class,
                    subscribed -> ServiceOfClient.of(
                            subscribed.service(), null, SubscribingClient.of(null, subscribed.subscriber()))),
            new View<>(
                    ServicePublisher.class,
                    published -> ServicePublisher.of(
                            published.clientId(), published.instance().key())),
            new View<>(SubscribingClient.class, subscriber -> SubscribingClient.of(subscriber.clientId(), subscriber)));

    private V3Clients() {}

    /**
     * @param connectType null without a connection
     * @param appName null without a connection, also when only its instances remain; so is the version
     */
    record RegistryClient(
            String clientId,
            boolean ephemeral,
            long lastUpdatedTime,
            String clientType,
            @Nullable String connectType,
            @Nullable String appName,
            @Nullable String version,
            String clientIp,
            int clientPort) {

        static RegistryClient of(NamingClients.Client client) {
            boolean isConnection = client.isConnection();
            return new RegistryClient(
                    client.id(),
                    client.isEphemeral(),
                    client.lastUpdatedMillis(),
                    isConnection ? "connection" : "ipPort",
                    isConnection ? "GRPC" : null,
                    isConnection ? client.app() : null,
                    isConnection ? client.version() : null,
                    client.ip(),
                    client.port());
        }
    }

    /**
     * @param publisherInfo null for a subscription
     * @param subscriberInfo null for a registration
     */
    record ServiceOfClient(
            String namespaceId,
            String groupName,
            String serviceName,
            @Nullable ServicePublisher publisherInfo,
            @Nullable SubscribingClient subscriberInfo) {

        static ServiceOfClient of(
                ServiceKey service, @Nullable ServicePublisher publisher, @Nullable SubscribingClient subscriber) {
            return new ServiceOfClient(
                    service.namespace().id(), service.group(), service.name(), publisher, subscriber);
        }
    }

    /** @param clientId null in the list of one client */
    record ServicePublisher(@Nullable String clientId, String ip, int port, String clusterName) {

        static ServicePublisher of(@Nullable String clientId, InstanceKey instance) {
            return new ServicePublisher(clientId, instance.ip(), instance.port(), instance.cluster());
        }
    }

    /** @param clientId null in the list of one client */
    record SubscribingClient(@Nullable String clientId, String appName, String agent, String address) {

        static SubscribingClient of(@Nullable String clientId, Subscriber subscriber) {
            return new SubscribingClient(
                    clientId, subscriber.app(), subscriber.agent(), NamingClients.address(subscriber));
        }
    }
}
