package io.cairn.server.cluster;

import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/**
 * Another version of JGroups beside the one of the class path, with {@link JGroupsChannel} and what it uses loaded again on top. The
 * interface of the channel is shared, so a test uses a channel of either version alike.
 */
final class OlderJGroups extends URLClassLoader {

    /** The build copies the files there. */
    private static final Path FOLDER = Path.of("target", "older-jgroups");

    private static final Set<String> SHARED = Set.of(
            GroupChannel.class.getName(),
            GroupChannel.Listener.class.getName(),
            GroupSettings.class.getName(),
            GroupView.class.getName());
    private static final String OWN_PACKAGE = OlderJGroups.class.getPackageName() + '.';
    private static final String JGROUPS = "org.jgroups.";

    private OlderJGroups(URL jar) {
        super(
                new URL[] {
                    jar,
                    JGroupsChannel.class.getProtectionDomain().getCodeSource().getLocation()
                },
                OlderJGroups.class.getClassLoader());
    }

    static OlderJGroups ofVersion(String version) throws MalformedURLException {
        Path jar = FOLDER.resolve("jgroups-" + version + ".jar").toAbsolutePath();
        if (!Files.isRegularFile(jar)) {
            throw new IllegalStateException(
                    jar + " is missing (expected: copied by the build in its phase pre-integration-test)");
        }
        return new OlderJGroups(jar.toUri().toURL());
    }

    GroupChannel newChannel(GroupSettings settings) throws ReflectiveOperationException {
        return (GroupChannel) loadClass(JGroupsChannel.class.getName())
                .getConstructor(GroupSettings.class)
                .newInstance(settings);
    }

    /** The version that the loaded JGroups states of itself. */
    String version() throws ReflectiveOperationException {
        return (String) loadClass(JGROUPS + "Version").getMethod("printVersion").invoke(null);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        boolean own = name.startsWith(JGROUPS) || name.startsWith(OWN_PACKAGE) && !SHARED.contains(name);
        if (!own) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? findClass(name) : loaded;
        }
    }

    /** Files that JGroups reads, such as its table of protocols, are those of its own version. */
    @Override
    public URL getResource(String name) {
        URL own = findResource(name);
        return own == null ? super.getResource(name) : own;
    }
}
