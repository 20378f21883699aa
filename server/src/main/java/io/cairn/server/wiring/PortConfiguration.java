package io.cairn.server.wiring;

import io.cairn.server.admission.AnswerMemory;
import io.cairn.server.admission.ConnectionAdmission;
import io.cairn.server.admission.MemoryBudget;
import io.cairn.server.compress.SharedCompression;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.eventloop.EventLoops;
import io.cairn.server.http.HttpServer;
import io.cairn.server.http.route.HttpRouter;
import io.cairn.server.limit.ServerLimits;
import io.cairn.server.metrics.MeterNames;
import io.cairn.server.rpc.GrpcServer;
import io.cairn.server.rpc.MessageHandler;
import io.cairn.server.rpc.MessageRouter;
import io.cairn.server.rpc.RpcAuthorizer;
import io.cairn.server.rpc.connection.HealthCheckHandler;
import io.cairn.server.timer.Standstill;
import io.cairn.server.wiring.lifecycle.BoundPorts;
import io.cairn.server.wiring.lifecycle.NewChannels;
import io.cairn.server.wiring.lifecycle.ServerPhase;
import io.cairn.server.wiring.lifecycle.ServerPorts;
import io.cairn.server.wiring.lifecycle.TlsLifecycle;
import io.cairn.server.wiring.lifecycle.WorkPools;
import io.cairn.server.wiring.settings.CairnProperties;
import io.cairn.server.wiring.settings.InternalTimings;
import io.cairn.server.wiring.settings.NacosSettings;
import io.cairn.server.wiring.settings.XdsProperties;
import io.cairn.server.xds.XdsStreams;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class PortConfiguration {

    @Bean
    MessageRouter messageRouter(
            List<MessageHandlers> parts,
            MeterRegistry meters,
            ServerPhase phase,
            WorkPools pools,
            MemoryBudget budget,
            RpcAuthorizer authorizer) {
        List<MessageHandler<?>> handlers = new ArrayList<>(List.of(new HealthCheckHandler()));
        parts.forEach(part -> handlers.addAll(part.handlers()));
        return new MessageRouter(handlers, meters, phase::isServing, pools.largeMessages(), budget, authorizer);
    }

    @Bean
    SharedCompression sharedCompression(WorkPools pools) {
        return new SharedCompression(pools.largeMessages());
    }

    @Bean
    NewChannels newChannels(ConnectionAdmission admission, Standstill standstill, TlsLifecycle tls) {
        return new NewChannels(admission, standstill, tls);
    }

    @Bean
    HttpServer.Settings httpSettings(
            NacosSettings settings, CairnProperties properties, ServerLimits limits, InternalTimings timings) {
        return new HttpServer.Settings(
                settings.address(),
                LimitConfiguration.maxBodyBytes(properties),
                (int) properties.http().idle().toSeconds(),
                (int) timings.maxHttpPatience().toSeconds(),
                properties.http().maxStreamsPerConnection(),
                limits);
    }

    @Bean
    ServerPorts.NewHttp newHttp(
            HttpServer.Settings settings,
            HttpRouter router,
            MemoryBudget budget,
            AnswerMemory answers,
            SharedCompression compression,
            EventLoops loops,
            NewChannels channels) {
        return () -> new HttpServer(
                settings,
                router,
                budget,
                answers,
                compression,
                loops.acceptor(),
                loops.workers(),
                loops::newServerChannel,
                channels::openHttp);
    }

    @Bean
    GrpcServer.Settings grpcSettings(
            NacosSettings settings,
            CairnProperties properties,
            ServerLimits limits,
            MemoryBudget requests,
            AnswerMemory answers) {
        CairnProperties.Grpc grpc = properties.grpc();
        return new GrpcServer.Settings(
                settings.grpcAddress(settings.address().getPort()),
                limits.messageBytes(),
                grpc.permitKeepAlive().toMillis(),
                grpc.keepAlive().toMillis(),
                grpc.keepAliveTimeout().toMillis(),
                grpc.maxCallsPerConnection(),
                grpc.maxUnreadPerConnection().toBytes(),
                requests,
                answers,
                limits.headSeconds());
    }

    @Bean
    GrpcServer.Handlers grpcHandlers(
            MessageRouter router,
            ConnectionRegistry connections,
            ServerPhase phase,
            NacosSettings settings,
            XdsProperties xds,
            XdsStreams mesh) {
        return new GrpcServer.Handlers(
                router,
                connections,
                client -> Abilities.ALL,
                phase::isReady,
                settings.serverIp(),
                xds.enabled() ? mesh.methods() : Map.of());
    }

    @Bean
    ServerPorts.NewGrpc newGrpc(
            GrpcServer.Settings settings,
            GrpcServer.Handlers handlers,
            EventLoops loops,
            Clock clock,
            SharedCompression compression,
            NewChannels channels) {
        return address -> new GrpcServer(settings.at(address), loops, handlers, clock, compression, channels::openRpc);
    }

    @Bean
    BoundPorts boundPorts(NacosSettings settings) {
        return new BoundPorts(settings.address().getPort());
    }

    @Bean(destroyMethod = "")
    ServerPorts ports(
            NacosSettings settings,
            ServerPorts.NewHttp http,
            ServerPorts.NewGrpc grpc,
            BoundPorts bound,
            ServerPhase phase,
            MeterRegistry meters) {
        ServerPorts ports = new ServerPorts(settings, http, grpc, bound, phase);
        meters.gauge(MeterNames.HTTP_CONNECTIONS, ports, ServerPorts::openHttpConnections);
        return ports;
    }
}
