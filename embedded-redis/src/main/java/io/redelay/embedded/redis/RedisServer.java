package io.redelay.embedded.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * A real redis-server in a process of its own, for tests: it can be killed, paused and
 * restarted. It listens on the loopback interface only and ends with this JVM.
 *
 * <pre class="code">
 * try (RedisServer server = RedisServer.builder().appendOnly(folder).config("maxmemory 5mb").start()) {
 *     server.kill();
 *     server.restart();
 * }
 * </pre>
 *
 * The executable is the one that the system property {@code redelay.test.redis-server}
 * gives, which may be a valkey-server, else a Redis 7.0.15 that a Maven package carries.
 *
 * @since 0.1.0
 */
public final class RedisServer implements AutoCloseable {

	static final String HOST = "127.0.0.1";

	private static final int ATTEMPTS = 20;

	private final Builder settings;

	private final TemporaryDirectory home = TemporaryDirectory.create("redelay-redis-");

	/**
	 * Reserved until the server is closed, so that it can be restarted there.
	 */
	private final @Nullable FreePort freePort;

	private final @Nullable FreePort freeTlsPort;

	private final int port;

	private final int tlsPort;

	private final CountDownLatch closed = new CountDownLatch(1);

	private final ExitHook exitHook = ExitHook.add(this::endWithJvm);

	private @Nullable RedisProcess process;

	private RedisServer(Builder settings) {
		this.settings = settings;
		this.freePort = (settings.port == 0) ? FreePort.reserve() : null;
		this.freeTlsPort = (settings.certificate != null) ? FreePort.reserve() : null;
		this.port = (this.freePort != null) ? this.freePort.number() : settings.port;
		this.tlsPort = (this.freeTlsPort != null) ? this.freeTlsPort.number() : 0;
	}

	/**
	 * Starts a server on a free port, without persistence.
	 * @return a running server
	 */
	public static RedisServer start() {
		return builder().start();
	}

	/**
	 * Returns a builder of a server.
	 * @return the builder
	 */
	public static Builder builder() {
		return new Builder();
	}

	/**
	 * Returns the host that the server listens on.
	 * @return the loopback address
	 */
	public String host() {
		return HOST;
	}

	/**
	 * Returns the port, which stays the same when the server is restarted.
	 * @return the port
	 */
	public int port() {
		return this.port;
	}

	/**
	 * Returns the second port, where the server speaks TLS.
	 * @return the port
	 * @throws IllegalStateException if the server has no certificate
	 */
	public int tlsPort() {
		if (this.tlsPort == 0) {
			throw new IllegalStateException("The server on port %d has no certificate".formatted(this.port));
		}
		return this.tlsPort;
	}

	/**
	 * Returns the location, as {@code spring.data.redis.url} takes it.
	 * @return a URI such as {@code redis://127.0.0.1:15000}
	 */
	public URI uri() {
		String password = this.settings.password;
		return URI.create("redis://%s%s:%d".formatted((password != null) ? ":" + password + "@" : "", HOST, this.port));
	}

	/**
	 * Returns the id of the server's process.
	 * @return the process id
	 * @throws IllegalStateException if the server does not run
	 */
	public synchronized long pid() {
		return running().pid();
	}

	/**
	 * Returns whether the server's process is there, paused or not.
	 * @return whether the process is there
	 */
	public synchronized boolean isRunning() {
		return this.process != null && this.process.isAlive();
	}

	/**
	 * Runs a command on a connection of its own.
	 * @param words the command and its arguments, such as {@code "SCRIPT", "FLUSH"}
	 * @return a {@link String}, a {@link Long}, a {@link List} of these, or {@code null}
	 * @throws RedisErrorException if the server refuses the command
	 */
	public @Nullable Object command(String... words) {
		try (RespConnection connection = RespConnection.open(this.port, this.settings.password,
				this.settings.startupTimeout)) {
			return connection.command(words);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot run '%s' on port %d".formatted(String.join(" ", words), this.port),
					ex);
		}
	}

	/**
	 * Returns the log of the server since it was built, restarts included.
	 * @return the whole log
	 */
	public String log() {
		return logFile().text();
	}

	/**
	 * Ends the server in good order: the data it has to persist is on the disk.
	 */
	public synchronized void stop() {
		running().stop();
	}

	/**
	 * Ends the server at once, as a crash would.
	 */
	public synchronized void kill() {
		running().kill();
	}

	/**
	 * Stops the server in its tracks: its connections stay open and nothing is answered.
	 */
	public synchronized void pause() {
		running().signal("STOP");
	}

	/**
	 * Lets a paused server go on.
	 */
	public synchronized void resume() {
		running().signal("CONT");
	}

	/**
	 * Starts the server again, on the same port and with its persisted data; one that
	 * still runs is stopped in good order before.
	 */
	public synchronized void restart() {
		if (isRunning()) {
			stop();
		}
		launch();
	}

	/**
	 * Ends the server and deletes its files, but for a directory that it was given.
	 */
	@Override
	public void close() {
		this.exitHook.remove();
		end();
		this.closed.countDown();
	}

	/**
	 * The hooks of a JVM run side by side: the one that closes an application may still
	 * need the server.
	 */
	private void endWithJvm() {
		try {
			if (!this.closed.await(this.settings.exitDelay.toNanos(), TimeUnit.NANOSECONDS)) {
				end();
			}
		}
		catch (InterruptedException ex) {
			end();
		}
	}

	private synchronized void end() {
		if (isRunning()) {
			kill();
		}
		this.home.close();
		release(this.freePort);
		release(this.freeTlsPort);
	}

	private static void release(@Nullable FreePort port) {
		if (port != null) {
			port.close();
		}
	}

	private synchronized void launch() {
		Path directory = this.home.path();
		if (!Files.isDirectory(directory)) {
			throw new IllegalStateException("The server on port %d is closed".formatted(this.port));
		}
		Path file = directory.resolve("redis.conf");
		// A sentinel keeps its state in the file.
		if (!Files.exists(file)) {
			configuration(directory).writeTo(file);
		}
		List<String> command = new ArrayList<>();
		command.add(RedisExecutable.get().toString());
		command.add(file.toString());
		command.addAll(this.settings.arguments);
		this.process = RedisProcess.start(command, directory, logFile(), this.port, this.settings.password,
				this.settings.startupTimeout);
	}

	private ServerConfiguration configuration(Path directory) {
		ServerConfiguration configuration = new ServerConfiguration().set("bind", HOST)
			.set("port", this.port)
			.set("dir", (this.settings.directory != null) ? this.settings.directory : directory)
			.set("save", "");
		if (this.settings.directory != null) {
			configuration.set("appendonly", "yes").set("appendfsync", "always");
		}
		if (this.settings.password != null) {
			configuration.set("requirepass", this.settings.password).set("masterauth", this.settings.password);
		}
		if (this.settings.certificate != null && this.settings.privateKey != null) {
			configuration.set("tls-port", this.tlsPort)
				.set("tls-cert-file", this.settings.certificate)
				.set("tls-key-file", this.settings.privateKey)
				.set("tls-ca-cert-file", this.settings.certificate)
				.set("tls-auth-clients", "no");
		}
		return configuration.addAll(this.settings.lines);
	}

	private ServerLog logFile() {
		return new ServerLog(this.home.path().resolve("redis.log"));
	}

	private RedisProcess running() {
		if (this.process == null || !this.process.isAlive()) {
			throw new IllegalStateException("The server on port %d does not run".formatted(this.port));
		}
		return this.process;
	}

	@Override
	public String toString() {
		return "RedisServer[%s:%d]".formatted(HOST, this.port);
	}

	/**
	 * Configures the server, and starts it.
	 *
	 * @since 0.1.0
	 */
	public static final class Builder {

		private final List<String> lines = new ArrayList<>();

		private final List<String> arguments = new ArrayList<>();

		private int port;

		private @Nullable Path directory;

		private @Nullable String password;

		private @Nullable Path certificate;

		private @Nullable Path privateKey;

		private Duration startupTimeout = Duration.ofSeconds(30);

		private Duration exitDelay = Duration.ZERO;

		private Builder() {
		}

		/**
		 * Sets the port.
		 * @param port the port, or 0, the default, for a free one
		 * @return this builder
		 */
		public Builder port(int port) {
			if (port < 0 || port > 65_535) {
				throw new IllegalArgumentException("'port' must be between 0 and 65535, not %d".formatted(port));
			}
			this.port = port;
			return this;
		}

		/**
		 * Has every write on the disk before it is answered, and read back after a
		 * restart. Without it nothing is persisted.
		 * @param directory where to keep the append-only file; it is left there when the
		 * server is closed, so another server can go on with it
		 * @return this builder
		 */
		public Builder appendOnly(Path directory) {
			this.directory = directory.toAbsolutePath();
			return this;
		}

		/**
		 * Requires a password from clients.
		 * @param password the default user's password
		 * @return this builder
		 */
		public Builder password(String password) {
			this.password = password;
			return this;
		}

		/**
		 * Opens a second port that speaks TLS.
		 * @param certificate the server's certificate, a PEM file
		 * @param privateKey the certificate's key, a PEM file
		 * @return this builder
		 * @see RedisServer#tlsPort()
		 */
		public Builder tls(Path certificate, Path privateKey) {
			this.certificate = certificate.toAbsolutePath();
			this.privateKey = privateKey.toAbsolutePath();
			return this;
		}

		/**
		 * Adds lines to the server's redis.conf. They come last, so they win. For the
		 * password use {@link #password(String)}.
		 * @param lines lines such as {@code "maxmemory 5mb"}
		 * @return this builder
		 */
		public Builder config(String... lines) {
			this.lines.addAll(List.of(lines));
			return this;
		}

		/**
		 * Sets how long to wait until the server answers and has loaded its data.
		 * @param startupTimeout the longest time to wait, 30 seconds by default
		 * @return this builder
		 */
		public Builder startupTimeout(Duration startupTimeout) {
			if (startupTimeout.isNegative() || startupTimeout.isZero()) {
				throw new IllegalArgumentException(
						"'startupTimeout' must be positive, not %s".formatted(startupTimeout));
			}
			this.startupTimeout = startupTimeout;
			return this;
		}

		/**
		 * Sets how long the end of the JVM waits for the server to be closed, before it
		 * ends the server: a shutdown hook that closes an application needs it until
		 * then.
		 * @param exitDelay the longest time to wait, zero by default
		 * @return this builder
		 */
		public Builder exitDelay(Duration exitDelay) {
			this.exitDelay = exitDelay;
			return this;
		}

		/**
		 * Adds arguments to the server's command line, after the configuration file.
		 * @param arguments arguments such as {@code "--sentinel"}
		 * @return this builder
		 */
		public Builder arguments(String... arguments) {
			this.arguments.addAll(List.of(arguments));
			return this;
		}

		/**
		 * Starts the server and waits until it answers.
		 * @return a running server
		 * @throws RedisStartException if it does not start
		 */
		public RedisServer start() {
			for (int attempt = 1;; attempt++) {
				RedisServer server = new RedisServer(this);
				try {
					server.launch();
					return server;
				}
				catch (RuntimeException ex) {
					server.close();
					boolean unlucky = this.port == 0 && ex instanceof RedisStartException start && start.isPortTaken();
					if (!unlucky || attempt == ATTEMPTS) {
						throw ex;
					}
				}
			}
		}

	}

}
