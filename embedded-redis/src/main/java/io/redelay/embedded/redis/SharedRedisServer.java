package io.redelay.embedded.redis;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A real redis-server that all applications of a machine share, for development: the
 * first one starts it, the others join it, the last one that leaves ends it. Its data is
 * kept in a directory and is there again the next time.
 *
 * <p>
 * The server is a process of its own. It survives the kill of an application for ten
 * seconds, in which the next one can join it. A server on the port that was not started
 * by this class is never touched.
 *
 * @since 0.1.0
 */
public final class SharedRedisServer implements AutoCloseable {

	private final ServerLease lease;

	private final boolean joined;

	private final KillWatch watch;

	private SharedRedisServer(ServerLease lease, boolean joined, KillWatch watch) {
		this.lease = lease;
		this.joined = joined;
		this.watch = watch;
	}

	/**
	 * Joins the server on a port, or starts it there.
	 * @param port the port
	 * @param directory the directory of the server's data, if it is to be started
	 * @param timeout the longest time to wait for the server
	 * @return a running server
	 * @throws PortTakenException if something else listens on the port
	 * @throws RedisStartException if the server does not start
	 */
	public static SharedRedisServer join(int port, Path directory, Duration timeout) {
		if (port < 1 || port > 65_535) {
			throw new IllegalArgumentException("'port' must be between 1 and 65535, not %d".formatted(port));
		}
		SharedServerFiles files = new SharedServerFiles(directory.toAbsolutePath().normalize(), port);
		Deadline deadline = new Deadline(timeout);
		try (PortLock lock = PortLock.take(port, deadline)) {
			ServerLease lease = ServerLease.take(port);
			if (lease != null && lease.isOnly() && !files.describe(lease.configurationFile())) {
				// Left over from another directory or another version, and without a
				// lease.
				lease.stopServer(deadline);
				lease = null;
			}
			SharedServerLauncher launcher = new SharedServerLauncher(files, deadline);
			boolean joined = lease != null;
			lease = joined ? launcher.awaitData(lease) : launcher.launch();
			return new SharedRedisServer(lease, joined, KillWatch.ofShared(port,
					Path.of(System.getProperty("java.home"), "bin", "java").toString(), files.classPath()));
		}
	}

	/**
	 * Returns the host that the server listens on.
	 * @return the loopback address
	 */
	public String host() {
		return RedisServer.HOST;
	}

	/**
	 * Returns the port that the server listens on.
	 * @return the port
	 */
	public int port() {
		return this.lease.port();
	}

	/**
	 * Returns the location, as {@code spring.data.redis.url} takes it.
	 * @return a URI such as {@code redis://127.0.0.1:6385}
	 */
	public URI uri() {
		return URI.create("redis://%s:%d".formatted(host(), port()));
	}

	/**
	 * Returns whether the server ran before.
	 * @return {@code true} if it ran, {@code false} if it was started
	 */
	public boolean isJoined() {
		return this.joined;
	}

	/**
	 * Returns the directory of the server's data.
	 * @return the directory, which is another than requested if the server ran before
	 */
	public Path directory() {
		return SharedServerFiles.directoryOf(this.lease.configurationFile());
	}

	/**
	 * Leaves the server. It ends if no other application has joined it.
	 */
	@Override
	public void close() {
		Deadline deadline = new Deadline(Duration.ofSeconds(10));
		try (PortLock lock = PortLock.take(port(), deadline)) {
			this.lease.release(deadline);
		}
		this.watch.close();
	}

	@Override
	public String toString() {
		return "SharedRedisServer[%s:%d]".formatted(host(), port());
	}

}
