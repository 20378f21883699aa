package io.cairn.server.cluster;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Keeps JGroups behind {@link GroupChannel}. */
class JGroupsBoundaryTest {

    private static final JavaClasses MODULE = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
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
