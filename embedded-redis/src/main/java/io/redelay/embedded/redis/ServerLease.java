package io.redelay.embedded.redis;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Keeps a shared server running for an application: a named connection, which the system
 * closes with the application's process, however that ends. The application that releases
 * the last lease stops the server.
 *
 * @param port the port of the server
 * @param connection keeps the server running
 * @param configurationFile the file the server was started with
 */
record ServerLease(int port, RespConnection connection, String configurationFile) {

	private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(3);

	private static final Duration SERVER_END = Duration.ofMillis(500);

	private static final String CLIENT_NAME = "redelay-embedded:";

	private static final String SILENCE = "something that does not answer";

	private static final String CONFIGURATION_FILE = "config_file:";

	/**
	 * Takes a lease of the server on a port.
	 * @return the lease, or {@code null} if nothing listens there
	 * @throws PortTakenException if another program listens there
	 */
	static @Nullable ServerLease take(int port) {
		Deadline deadline = new Deadline(SERVER_END);
		while (true) {
			try {
				return connect(port);
			}
			catch (PortTakenException ex) {
				// A server that is just ending breaks connections off, and is gone soon.
				boolean brokenOff = ex.getCause() instanceof EOFException || ex.getCause() instanceof SocketException;
				if (!brokenOff || deadline.isOver()) {
					throw ex;
				}
				deadline.pause();
			}
		}
	}

	private static @Nullable ServerLease connect(int port) {
		RespConnection connection;
		try {
			connection = RespConnection.open(port, null, ANSWER_TIMEOUT);
		}
		catch (ConnectException ex) {
			return null;
		}
		catch (IOException ex) {
			throw new PortTakenException(port, SILENCE, ex);
		}
		try {
			return take(port, connection);
		}
		catch (RuntimeException ex) {
			connection.close();
			throw ex;
		}
	}

	private static ServerLease take(int port, RespConnection connection) {
		try {
			String file = connection.text("INFO", "server")
				.lines()
				.filter((line) -> line.startsWith(CONFIGURATION_FILE))
				.map((line) -> line.substring(CONFIGURATION_FILE.length()).strip())
				.findFirst()
				.orElse("");
			if (!SharedServerFiles.areMarkedBy(file)) {
				throw new PortTakenException(port, "a Redis server", null);
			}
			connection.command("CLIENT", "SETNAME", CLIENT_NAME + ProcessHandle.current().pid());
			return new ServerLease(port, connection, file);
		}
		catch (RedisErrorException ex) {
			throw new PortTakenException(port, "a Redis server", ex);
		}
		catch (SocketTimeoutException ex) {
			throw new PortTakenException(port, SILENCE, ex);
		}
		catch (IOException ex) {
			throw new PortTakenException(port, "something that is no Redis server", ex);
		}
	}

	/**
	 * Whether the server has loaded its data.
	 */
	boolean isLoaded() {
		try {
			return this.connection.text("INFO", "persistence").contains("\nloading:0\r\n");
		}
		catch (IOException ex) {
			return false;
		}
	}

	/**
	 * Whether no other application has a lease.
	 */
	boolean isOnly() {
		try {
			return this.connection.text("CLIENT", "LIST")
				.lines()
				.filter((client) -> client.contains(" name=" + CLIENT_NAME))
				.count() == 1;
		}
		catch (IOException ex) {
			return false;
		}
	}

	/**
	 * Gives the lease back and lets the server run.
	 */
	void drop() {
		this.connection.close();
	}

	/**
	 * Gives the lease back, and stops the server if no other application has one.
	 */
	void release(Deadline deadline) {
		try {
			if (isOnly()) {
				stopServer(deadline);
			}
		}
		finally {
			this.connection.close();
		}
	}

	/**
	 * Stops the server, and waits until nothing listens on its port.
	 */
	void stopServer(Deadline deadline) {
		try {
			this.connection.command("SHUTDOWN");
		}
		catch (IOException ex) {
			// There is no other reply to it.
		}
		finally {
			this.connection.close();
		}
		deadline.await(() -> !isListening());
	}

	private boolean isListening() {
		try {
			RespConnection.open(this.port, null, ANSWER_TIMEOUT).close();
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

}
