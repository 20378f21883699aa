package io.cairn.cli;

import static io.cairn.cli.DoctorCommand.Finding.ok;
import static io.cairn.cli.DoctorCommand.Finding.warn;

import io.cairn.cli.DoctorCommand.Finding;
import io.cairn.cli.DoctorCommand.Finding.State;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

final class AttentionChecks {

    private static final String ABOUT = "findings";
    private static final long SECONDS_A_DAY = 86_400;

    private final Cairn cairn;

    AttentionChecks(Cairn cairn) {
        this.cairn = cairn;
    }

    void run(List<Finding> findings) {
        Api.OfAllNodes answer;
        try {
            answer = cairn.api()
                    .getOfAllNodes("/v3/admin/core/attention", Api.parameters("namespaceId", cairn.namespace()));
        } catch (Failure e) {
            findings.add(warn(
                    ABOUT,
                    "the server was not asked what needs attention: " + e.getMessage(),
                    "run this as an administrator, by --user or --token-file"));
            return;
        }
        List<?> found = Json.items(answer.data());
        if (!answer.silent().isEmpty()) {
            findings.add(warn(
                    ABOUT,
                    "these nodes did not answer, so theirs are missing: " + answer.silent(),
                    "see whether they run: cairn nodes"));
        } else if (found.isEmpty()) {
            findings.add(ok(ABOUT, "the server has none"));
        }
        for (Object finding : found) {
            boolean isUrgent = "true".equals(Json.text(finding, "urgent"));
            findings.add(new Finding(
                    isUrgent ? State.fail : State.warn, ABOUT, text(finding) + nodes(finding), todo(finding)));
        }
    }

    /** The reporting nodes of a cluster. */
    private static String nodes(Object finding) {
        String nodes = Json.items(Json.fields(finding).get("nodes")).stream()
                .map(Object::toString)
                .collect(Collectors.joining(", "));
        return nodes.isEmpty() ? "" : " (reported by " + nodes + ')';
    }

    private static String text(Object finding) {
        String subject = Json.text(finding, "subject");
        String group = Json.text(finding, "groupName");
        String detail = Json.text(finding, "detail");
        String used = Json.text(finding, "used");
        String max = Json.text(finding, "max");
        return switch (Json.text(finding, "kind")) {
            case "DATABASE_AWAY" -> "the database is away, so nothing can be written: " + detail;
            case "WRITES_REFUSED" -> "the database refuses writes: " + detail;
            case "DATABASE_DAMAGED" -> "a part of the stored data cannot be read: " + detail;
            case "DATABASE_LOST_COMMITS" -> "the database has lost commits: " + detail;
            case "FOLLOWING_FAILS" -> follower(subject) + " not been followed for some seconds: " + detail;
            case "ROWS_LEFT_OUT" ->
                "table " + subject + " has " + used + (used.equals("1") ? " row that is" : " rows that are")
                        + " left out: " + detail;
            case "WRITE_LOCK_HELD" -> "node " + subject + " held up the writes of the other nodes: " + detail;
            case "CASE_IGNORED" -> "names that differ in upper and lower case alone are refused: " + detail;
            case "LDAP_USERS" ->
                used + (used.equals("1") ? " user" : " users") + " of an LDAP directory cannot log in: " + detail;
            case "ISSUER_MISFIT" -> "the issuer " + subject + ": " + detail;
            case "ISSUER_AWAY" -> "the keys of the issuer " + subject + " cannot be read: " + detail;
            case "DIRECTORY_AWAY" -> "the directory server " + subject + " fails: " + detail;
            case "PERMISSIONS_WITHOUT_EFFECT" ->
                used + (used.equals("1") ? " permission allows" : " permissions allow") + " nothing: " + detail;
            case "DATABASE_PAGES_OLD" ->
                "the database file has the page size of an earlier release, so a publish writes more: " + detail;
            case "DISK_FULL" ->
                "the disk of " + subject + " is nearly full: " + used + " of " + max + " bytes are used";
            case "PASSWORD_UNCHANGED" -> "user " + subject + " still has the password of the first start";
            case "CERTIFICATE_ENDS" -> certificate(subject, Long.parseLong(used));
            case "LIMIT_NEAR" -> "limit " + subject + ": " + used + " of " + max + " (" + detail + ')';
            case "LISTENERS_BEHIND" ->
                used + " of " + max + " listeners of " + group + '/' + subject + " do not have the stored version";
            case "MESH_RESOURCE_UNREADABLE" ->
                "the resource of the mesh " + group + '/' + subject + " cannot be read: " + detail;
            case "MESH_PROXY_REFUSES" -> "proxy " + subject + " refuses what it was sent: " + detail;
            case "MESH_PROXY_WAITS" -> "proxy " + subject + " does not acknowledge what it was sent: " + detail;
            case "MESH_SERVICE_SETTING" ->
                "service " + group + '/' + subject + " has a setting for proxies that cannot be read: " + detail;
            case "HOST_REFUSED" -> used + " requests of " + subject + " were refused: " + detail;
            case "PROXY_PATH_UNKNOWN" -> used + " requests for " + subject + " found nothing: " + detail;
            case "BEATS_REFUSED" ->
                "heartbeats of " + (subject.isEmpty() ? "clients without credentials" : "user " + subject)
                        + " are refused, so " + used + " instances of " + max + " services are removed: " + detail;
            case "INSTANCES_NOT_BACK" ->
                used + " instances of " + (group.isEmpty() ? max + " services" : "service " + group + '/' + subject)
                        + " that were known before the restart did not come back";
            default -> unknown(finding);
        };
    }

    /** The part of a node that fails to follow the store, as the beginning of a sentence. */
    private static String follower(String subject) {
        return switch (subject) {
            case "changes" -> "changes of other nodes and programs have";
            case "accounts" -> "changes of users and permissions have";
            case "mirror" -> "changes for the mirror, which serves a start without the database, have";
            default -> "changes for " + subject + " have";
        };
    }

    private static String certificate(String name, long secondsLeft) {
        return "certificate " + name
                + (secondsLeft < 0
                        ? " has ended: clients refuse it"
                        : " ends in " + secondsLeft / SECONDS_A_DAY + " days");
    }

    /** For kinds that this command does not know. */
    private static String unknown(Object finding) {
        StringBuilder text = new StringBuilder(
                Json.text(finding, "kind").toLowerCase(Locale.ROOT).replace('_', ' '));
        String group = Json.text(finding, "groupName");
        String subject = Json.text(finding, "subject");
        if (!subject.isEmpty()) {
            text.append(": ").append(group.isEmpty() ? subject : group + '/' + subject);
        }
        String detail = Json.text(finding, "detail");
        if (!detail.isEmpty()) {
            text.append(": ").append(detail);
        }
        if (!Json.text(finding, "max").equals("0")) {
            text.append(" (")
                    .append(Json.text(finding, "used"))
                    .append(" of ")
                    .append(Json.text(finding, "max"))
                    .append(')');
        }
        return text.toString();
    }

    private static String todo(Object finding) {
        return switch (Json.text(finding, "kind")) {
            case "DATABASE_AWAY" -> "bring the database back; the server notices by itself";
            case "DATABASE_DAMAGED" -> "see \"A damaged database file\" in docs/guide/operate.md";
            case "DATABASE_LOST_COMMITS" -> "publish again what is missing; see docs/guide/mysql.md";
            case "FOLLOWING_FAILS" -> "remove the cause; the server tries again by itself";
            case "ROWS_LEFT_OUT" ->
                "correct or delete these rows; see \"Rows that cannot be used\" in docs/guide/mysql.md";
            case "CASE_IGNORED" -> "see \"Upper and lower case\" in docs/guide/mysql.md";
            case "LDAP_USERS" -> "see \"Users of LDAP\" in docs/guide/migrating.md";
            case "ISSUER_MISFIT" -> "see \"Findings\" in docs/guide/sign-in.md";
            case "ISSUER_AWAY" ->
                "bring the issuer back or correct cairn.auth.oidc.issuer; the server tries again by itself";
            case "DIRECTORY_AWAY" ->
                "bring it back or correct nacos.core.auth.ldap.* and cairn.auth.ldap.*; the server tries again by itself";
            case "PERMISSIONS_WITHOUT_EFFECT" ->
                "add permissions that match, and remove these; see \"Rights\" in docs/guide/security.md";
            case "WRITE_LOCK_HELD" -> "look at the log and the machine of that node, and at its way to the database";
            case "DATABASE_PAGES_OLD" -> "see \"Page size of the embedded database\" in docs/guide/operate.md";
            case "DISK_FULL" -> "free some space; writes are refused when it is full";
            case "PASSWORD_UNCHANGED" -> "cairn user password " + Json.text(finding, "subject");
            case "CERTIFICATE_ENDS" -> "renew it; the server reads the new file by itself";
            case "LIMIT_NEAR" -> "find what takes so much, or raise the limit";
            case "LISTENERS_BEHIND" -> "look at these clients; the console lists them";
            case "MESH_RESOURCE_UNREADABLE" -> "publish it again without that problem, or roll it back";
            case "MESH_PROXY_REFUSES" -> "see its words in 'cairn mesh proxies'; publish what it takes, or roll back";
            case "MESH_PROXY_WAITS" -> "see whether it runs and reads its stream; 'cairn mesh proxies' says since when";
            case "MESH_SERVICE_SETTING" -> "correct the metadata of the service; until then the default is in force";
            case "WRITES_REFUSED" -> "remove the cause; the server notices by itself";
            case "HOST_REFUSED", "PROXY_PATH_UNKNOWN" -> "see docs/guide/proxy.md";
            case "BEATS_REFUSED" -> "give these clients the password or token that is valid now";
            case "NODE_AWAY", "NODE_BEHIND", "KEYS_DIFFER", "SETTINGS_DIFFER", "COPIES_DIFFER", "CLOCK_OFF" ->
                "see \"Findings\" in docs/guide/cluster.md";
            case "INSTANCES_NOT_BACK" -> "see whether their applications run; the console lists the services";
            default -> "see docs/guide/operate.md";
        };
    }
}
