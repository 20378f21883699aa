package io.cairn.server.cluster;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

/** Keeps JGroups behind {@link GroupChannel}. */
class JGroupsBoundaryTest {

    private static final JavaClasses MODULE = new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test-classes/"))
            .importPackages("io.cairn.server.cluster");

    @Test
    void onlyTheClassesOfItsNameKnowJGroups() {
        assertThat(MODULE.contain(JGroupsChannel.class)).isTrue();
        noClasses()
                .that()
                .haveNameNotMatching("io\\.cairn\\.server\\.cluster\\.JGroups(Channel|Transport|Log)(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.jgroups..")
                .check(MODULE);
    }

    @Test
    void noOtherClassKnowsMoreOfThemThanTheChannel() {
        noClasses()
                .that()
                .haveNameNotMatching("io\\.cairn\\.server\\.cluster\\.JGroups.*")
                .should()
                .dependOnClassesThat()
                .haveNameMatching("io\\.cairn\\.server\\.cluster\\.JGroups(Transport|Log).*")
                .check(MODULE);
    }
}
