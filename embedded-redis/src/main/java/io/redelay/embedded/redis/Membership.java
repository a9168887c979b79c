package io.redelay.embedded.redis;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * An application's share in a server that others may use too: a connection that is open,
 * and named, as long as the application lives, however it ends.
 */
final class Membership {

	private static final Duration ANSWER = Duration.ofSeconds(3);

	private static final Duration ENDING = Duration.ofMillis(500);

	private static final String NAME = "redelay-embedded:";

	private static final String SILENCE = "something that does not answer";

	private static final String CONFIGURATION_FILE = "config_file:";

	private final int port;

	private final RespConnection connection;

	private final String configurationFile;

	private Membership(int port, RespConnection connection, String configurationFile) {
		this.port = port;
		this.connection = connection;
		this.configurationFile = configurationFile;
	}

	/**
	 * Joins the server on a port.
	 * @return the membership, or {@code null} if nothing listens there
	 * @throws PortTakenException if what listens there is not ours
	 */
	static @Nullable Membership find(int port) {
		Deadline patience = new Deadline(ENDING);
		while (true) {
			try {
				return connect(port);
			}
			catch (PortTakenException ex) {
				// A server that is just ending breaks connections off, and is gone soon.
				boolean brokenOff = ex.getCause() instanceof EOFException || ex.getCause() instanceof SocketException;
				if (!brokenOff || patience.isOver()) {
					throw ex;
				}
				patience.pause();
			}
		}
	}

	private static @Nullable Membership connect(int port) {
		RespConnection connection;
		try {
			connection = RespConnection.open(port, null, ANSWER);
		}
		catch (ConnectException ex) {
			return null;
		}
		catch (IOException ex) {
			throw new PortTakenException(port, SILENCE, ex);
		}
		try {
			return join(port, connection);
		}
		catch (RuntimeException ex) {
			connection.close();
			throw ex;
		}
	}

	private static Membership join(int port, RespConnection connection) {
		try {
			String file = connection.text("INFO", "server")
				.lines()
				.filter((line) -> line.startsWith(CONFIGURATION_FILE))
				.map((line) -> line.substring(CONFIGURATION_FILE.length()).strip())
				.findFirst()
				.orElse("");
			if (!SharedServerFiles.areMarkedBy(file)) {
				throw new PortTakenException(port, "a Redis server");
			}
			connection.command("CLIENT", "SETNAME", NAME + ProcessHandle.current().pid());
			return new Membership(port, connection, file);
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

	int port() {
		return this.port;
	}

	String configurationFile() {
		return this.configurationFile;
	}

	/**
	 * Whether the server has read what it kept.
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
	 * Whether nobody else has joined.
	 */
	boolean isAlone() {
		try {
			return this.connection.text("CLIENT", "LIST")
				.lines()
				.filter((client) -> client.contains(" name=" + NAME))
				.count() == 1;
		}
		catch (IOException ex) {
			return false;
		}
	}

	/**
	 * Leaves the server as it is.
	 */
	void abandon() {
		this.connection.close();
	}

	/**
	 * Leaves the server, which ends if nobody else has joined it.
	 */
	void leave(Deadline deadline) {
		try {
			if (isAlone()) {
				end(deadline);
			}
		}
		finally {
			this.connection.close();
		}
	}

	/**
	 * Ends the server, and waits until another can be started.
	 */
	void end(Deadline deadline) {
		try {
			this.connection.command("SHUTDOWN");
		}
		catch (IOException ex) {
			// There is no other reply to it.
		}
		finally {
			this.connection.close();
		}
		deadline.await(() -> !isThere());
	}

	private boolean isThere() {
		try {
			RespConnection.open(this.port, null, ANSWER).close();
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

}
