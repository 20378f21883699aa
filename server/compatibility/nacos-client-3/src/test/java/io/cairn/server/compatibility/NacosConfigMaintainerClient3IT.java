package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.alibaba.nacos.api.config.model.ConfigBasicInfo;
import com.alibaba.nacos.api.config.model.ConfigCloneInfo;
import com.alibaba.nacos.api.config.model.ConfigDetailInfo;
import com.alibaba.nacos.api.config.model.ConfigGrayInfo;
import com.alibaba.nacos.api.config.model.ConfigHistoryBasicInfo;
import com.alibaba.nacos.api.config.model.ConfigHistoryDetailInfo;
import com.alibaba.nacos.api.config.model.SameConfigPolicy;
import com.alibaba.nacos.api.exception.NacosException;
import com.alibaba.nacos.api.model.Page;
import com.alibaba.nacos.api.model.response.NacosMember;
import com.alibaba.nacos.api.model.response.Namespace;
import com.alibaba.nacos.maintainer.client.config.ConfigMaintainerFactory;
import com.alibaba.nacos.maintainer.client.config.ConfigMaintainerService;
import io.cairn.server.process.CairnProcess;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The official maintainer client: what consoles and pipelines do with configurations, namespaces and the server itself,
 * over {@code /nacos/v3/admin}. It is not closed, for that would end the HTTP client that all in a JVM share.
 */
@Tag("full")
@ExtendWith(SharedServer.class)
@Execution(ExecutionMode.CONCURRENT)
class NacosConfigMaintainerClient3IT {

    private static final String GROUP = "maintained";
    private static final String PUBLIC = "public";

    private static ConfigMaintainerService maintainer;

    @BeforeAll
    static void open(CairnProcess shared) throws NacosException {
        maintainer = ConfigMaintainerFactory.createConfigMaintainerService(shared.serverAddress());
    }

    @Test
    void configIsPublishedReadDescribedFoundAndDeleted() throws Exception {
        assertThat(maintainer.publishConfig("m1.yaml", GROUP, PUBLIC, "a: 中", "shop", "ann", "t1,t2", "about", "yaml"))
                .isTrue();
        ConfigDetailInfo shown = maintainer.getConfig("m1.yaml", GROUP, PUBLIC);
        assertThat(shown.getContent()).isEqualTo("a: 中");
        assertThat(shown.getType()).isEqualTo("yaml");
        assertThat(shown.getAppName()).isEqualTo("shop");
        assertThat(shown.getDesc()).isEqualTo("about");
        assertThat(shown.getConfigTags()).isEqualTo("t1,t2");
        assertThat(shown.getCreateUser()).isEqualTo("ann");

        assertThat(maintainer.updateConfigMetadata("m1.yaml", GROUP, PUBLIC, "other", "t3"))
                .isTrue();
        ConfigDetailInfo described = maintainer.getConfig("m1.yaml", GROUP, PUBLIC);
        assertThat(described.getDesc()).isEqualTo("other");
        assertThat(described.getConfigTags()).isEqualTo("t3");
        assertThat(described.getMd5()).isEqualTo(shown.getMd5());

        Page<ConfigBasicInfo> listed = maintainer.listConfigs("m1.yaml", GROUP, PUBLIC);
        assertThat(listed.getPageItems()).extracting(ConfigBasicInfo::getId).containsExactly(shown.getId());
        assertThat(maintainer.searchConfigs("m1", GROUP, PUBLIC).getTotalCount())
                .isEqualTo(1);
        assertThat(maintainer.getConfigListByNamespace(PUBLIC))
                .extracting(ConfigBasicInfo::getDataId)
                .contains("m1.yaml");
        assertThat(maintainer.getListeners("m1.yaml", GROUP).getListenersStatus())
                .isEmpty();
        assertThat(maintainer
                        .getAllSubClientConfigByIp("10.9.9.9", true, PUBLIC, false)
                        .getListenersStatus())
                .isEmpty();

        assertThat(maintainer.deleteConfig("m1.yaml", GROUP, PUBLIC)).isTrue();
        assertThatThrownBy(() -> maintainer.getConfig("m1.yaml", GROUP, PUBLIC)).isInstanceOf(NacosException.class);
    }

    @Test
    void severalAreDeletedByTheirIds() throws Exception {
        maintainer.publishConfig("m2a", GROUP, PUBLIC, "x");
        maintainer.publishConfig("m2b", GROUP, PUBLIC, "x");
        List<Long> ids = List.of(
                maintainer.getConfig("m2a", GROUP, PUBLIC).getId(),
                maintainer.getConfig("m2b", GROUP, PUBLIC).getId());
        assertThat(maintainer.deleteConfigs(ids)).isTrue();
        assertThat(maintainer.listConfigs("m2*", GROUP, PUBLIC).getTotalCount()).isZero();
    }

    @Test
    void betaIsPublishedShownAndStopped() throws Exception {
        maintainer.publishConfig("m3", GROUP, PUBLIC, "for all");
        assertThat(maintainer.publishBetaConfig(
                        "m3", GROUP, PUBLIC, "for some", null, null, null, null, "text", "10.0.0.9"))
                .isTrue();
        ConfigGrayInfo beta = maintainer.queryBeta("m3", GROUP, PUBLIC);
        assertThat(beta.getContent()).isEqualTo("for some");
        assertThat(beta.getGrayName()).isEqualTo("beta");
        assertThat(beta.getGrayRule()).contains("10.0.0.9");
        assertThat(maintainer.getConfig("m3", GROUP, PUBLIC).getContent()).isEqualTo("for all");
        assertThat(maintainer.stopBeta("m3", GROUP, PUBLIC)).isTrue();
        assertThatThrownBy(() -> maintainer.queryBeta("m3", GROUP, PUBLIC)).isInstanceOf(NacosException.class);
    }

    @Test
    void historyHasTheFormerContent() throws Exception {
        maintainer.publishConfig("m4", GROUP, PUBLIC, "one");
        maintainer.publishConfig("m4", GROUP, PUBLIC, "two");
        Page<ConfigHistoryBasicInfo> changes = maintainer.listConfigHistory("m4", GROUP, PUBLIC, 1, 10);
        assertThat(changes.getPageItems())
                .extracting(change -> change.getOpType().trim())
                .containsExactly("U", "I");
        ConfigHistoryDetailInfo update = maintainer.getConfigHistoryInfo(
                "m4", GROUP, PUBLIC, changes.getPageItems().get(0).getId());
        assertThat(update.getContent()).isEqualTo("one");
        Long id = maintainer.getConfig("m4", GROUP, PUBLIC).getId();
        assertThat(maintainer
                        .getPreviousConfigHistoryInfo("m4", GROUP, PUBLIC, id)
                        .getContent())
                .isEqualTo("one");
    }

    @Test
    void configIsClonedToANamespace() throws Exception {
        maintainer.createNamespace("m5", "five", "for clones");
        maintainer.publishConfig("m5", GROUP, PUBLIC, "x");
        ConfigCloneInfo clone = new ConfigCloneInfo();
        clone.setConfigId(maintainer.getConfig("m5", GROUP, PUBLIC).getId());
        clone.setTargetGroupName(GROUP);
        clone.setTargetDataId("m5-copy");
        Map<String, Object> report = maintainer.cloneConfig("m5", List.of(clone), "ann", SameConfigPolicy.ABORT);
        assertThat(report).containsEntry("succCount", 1);
        assertThat(maintainer.getConfig("m5-copy", GROUP, "m5").getContent()).isEqualTo("x");
    }

    @Test
    void namespaceIsCreatedChangedFoundAndDeleted() throws Exception {
        assertThat(maintainer.createNamespace("m6", "six", "desc")).isTrue();
        assertThat(maintainer.checkNamespaceIdExist("m6")).isTrue();
        assertThat(maintainer.updateNamespace("m6", "seven", "other")).isTrue();
        Namespace namespace = maintainer.getNamespace("m6");
        assertThat(namespace.getNamespaceShowName()).isEqualTo("seven");
        assertThat(namespace.getNamespaceDesc()).isEqualTo("other");
        assertThat(maintainer.getNamespaceList())
                .extracting(Namespace::getNamespace)
                .contains(PUBLIC, "m6");
        assertThat(maintainer.deleteNamespace("m6")).isTrue();
        assertThat(maintainer.checkNamespaceIdExist("m6")).isFalse();
    }

    @Test
    void serverReportsItsState() throws Exception {
        assertThat(maintainer.getServerState()).containsEntry("startup_mode", "standalone");
        assertThat(maintainer.liveness()).isTrue();
        assertThat(maintainer.readiness()).isTrue();
        assertThat(maintainer.listClusterNodes("", ""))
                .singleElement()
                .extracting(NacosMember::getPort)
                .isNotNull();
        assertThat(maintainer.updateLookupMode("file")).isTrue();
        assertThat(maintainer.getIdGenerators()).isEmpty();
        assertThat(maintainer.getClusterLoaderMetrics().getMemberCount()).isEqualTo(1);
        assertThat(maintainer.getCurrentClients()).isNotNull();
        maintainer.reloadConnectionCount(1_000, "");
        maintainer.smartReloadCluster("0.1");
        maintainer.reloadSingleClient("nosuch", "");
        maintainer.updateLogLevel("core-auth", "INFO");
        assertThat(maintainer.setLogLevel("config-server", "INFO")).isNotBlank();
        assertThat(maintainer.updateLocalCacheFromStore()).isNotBlank();
    }
}
