package io.redelay.test.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

import io.redelay.embedded.redis.RedisServer;
import org.jspecify.annotations.Nullable;

/**
 * Stands between a client and a server, and disturbs their connection like a bad network.
 *
 * <pre class="code">
 * try (TcpFaultProxy proxy = TcpFaultProxy.to(server)) {
 *     proxy.hold(Direction.TO_CLIENT);      // requests arrive, replies don't
 *     ...
 *     proxy.release(Direction.TO_CLIENT);   // now they do, late
 * }
 * </pre>
 *
 * The settings of a direction hold for all connections, present and future. Nothing is
 * ever lost from a connection that lives: data that is held back arrives, in order, once
 * it is released. To lose a reply, hold it back and drop the connections.
 *
 * @since 0.1.0
 */
public final class TcpFaultProxy implements AutoCloseable {

	private static final String HOST = "127.0.0.1";

	/**
	 * Ports below those of outgoing connections, so that the port of a proxy that refuses
	 * connections for a moment is not taken, and below those of the servers.
	 */
	private static final int FIRST_PORT = 11_000;

	private static final int LAST_PORT = 15_000;

	private static final int ATTEMPTS = 1_000;

	private final InetSocketAddress server;

	private final TrafficControl toServer = new TrafficControl();

	private final TrafficControl toClient = new TrafficControl();

	private final TrafficControl newConnections = new TrafficControl();

	private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();

	private final int port;

	/**
	 * The UDP port of the same number, which keeps other proxies, of other JVMs too, from
	 * the port while this one refuses connections.
	 */
	private final DatagramSocket reservation;

	private @Nullable Listener listener;

	private boolean closed;

	private TcpFaultProxy(InetSocketAddress server) {
		this.server = server;
		this.reservation = reserveAPort();
		this.port = this.reservation.getLocalPort();
		accept(listen(this.port));
	}

	/**
	 * Starts a proxy of a server.
	 * @param server the server, which may be restarted meanwhile
	 * @return a running proxy
	 */
	public static TcpFaultProxy to(RedisServer server) {
		return to(server.host(), server.port());
	}

	/**
	 * Starts a proxy of whatever listens on a host and a port.
	 * @param host the host to forward to
	 * @param port the port to forward to
	 * @return a running proxy
	 */
	public static TcpFaultProxy to(String host, int port) {
		return new TcpFaultProxy(new InetSocketAddress(host, port));
	}

	/**
	 * Returns the host that clients connect to.
	 * @return the loopback address
	 */
	public String host() {
		return HOST;
	}

	/**
	 * Returns the port that clients connect to.
	 * @return the port
	 */
	public int port() {
		return this.port;
	}

	/**
	 * Returns the location, as {@code spring.data.redis.url} takes it.
	 * @return a URI such as {@code redis://127.0.0.1:15000}
	 */
	public URI uri() {
		return URI.create("redis://%s:%d".formatted(host(), this.port));
	}

	/**
	 * Holds back the data of a direction, until it is released.
	 * @param direction the direction
	 */
	public void hold(Direction direction) {
		traffic(direction).hold();
	}

	/**
	 * Holds back the data of a direction, for some time from now or until it is released.
	 * @param direction the direction
	 * @param duration for how long
	 */
	public void hold(Direction direction, Duration duration) {
		traffic(direction).hold(duration);
	}

	/**
	 * Forwards the data that was held back, and all further data.
	 * @param direction the direction
	 */
	public void release(Direction direction) {
		traffic(direction).release();
	}

	/**
	 * Delays each piece of data of a direction; those behind it wait.
	 * @param direction the direction
	 * @param delay for how long; zero ends it
	 */
	public void delay(Direction direction, Duration delay) {
		traffic(direction).delay(delay);
	}

	/**
	 * Breaks all connections at once, as a reset. The data that was held back on them is
	 * lost. New connections are accepted.
	 */
	public void dropConnections() {
		this.connections.forEach(ProxiedConnection::reset);
	}

	/**
	 * Refuses new connections, until they are accepted again. Those that exist go on.
	 */
	public synchronized void refuseConnections() {
		if (this.listener != null) {
			this.listener.close();
			this.listener = null;
		}
	}

	/**
	 * Accepts new connections again.
	 */
	public synchronized void acceptConnections() {
		if (this.closed) {
			throw new IllegalStateException("The proxy on port %d is closed".formatted(this.port));
		}
		if (this.listener == null) {
			accept(listen(this.port));
		}
	}

	/**
	 * Delays new connections: a client is connected at once, and the server sees it
	 * later.
	 * @param delay for how long; zero ends it
	 */
	public void delayConnections(Duration delay) {
		this.newConnections.delay(delay);
	}

	/**
	 * Returns how many connections there are.
	 * @return the number of connections
	 */
	public int connections() {
		return this.connections.size();
	}

	/**
	 * Drops all connections and accepts no more.
	 */
	@Override
	public synchronized void close() {
		this.closed = true;
		refuseConnections();
		dropConnections();
		this.reservation.close();
	}

	private TrafficControl traffic(Direction direction) {
		return switch (direction) {
			case TO_SERVER -> this.toServer;
			case TO_CLIENT -> this.toClient;
		};
	}

	private void accept(ServerSocket listener) {
		this.listener = new Listener(listener, daemon("accept", () -> acceptFrom(listener)));
	}

	private void acceptFrom(ServerSocket listener) {
		while (!listener.isClosed()) {
			try {
				ProxiedConnection connection = new ProxiedConnection(listener.accept());
				this.connections.add(connection);
				daemon("connect", () -> forward(connection));
			}
			catch (IOException ex) {
				// The listener was closed; if not, the next one may come through.
			}
		}
	}

	private void forward(ProxiedConnection connection) {
		try {
			this.newConnections.awaitTurn(connection::isClosed);
			connection.open(this.server);
			daemon("to-server", () -> connection.forward(Direction.TO_SERVER, this.toServer));
			connection.forward(Direction.TO_CLIENT, this.toClient);
		}
		catch (IOException ex) {
			// The server is not there, so the client's connection fails too.
		}
		finally {
			connection.close();
			this.connections.remove(connection);
		}
	}

	private Thread daemon(String name, Runnable action) {
		Thread thread = new Thread(action, "tcp-fault-proxy-%d-%s".formatted(this.port, name));
		thread.setDaemon(true);
		thread.start();
		return thread;
	}

	private static DatagramSocket reserveAPort() {
		for (int attempt = 1;; attempt++) {
			int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT);
			try {
				return reserve(port);
			}
			catch (IOException | UncheckedIOException ex) {
				if (attempt == ATTEMPTS) {
					throw new IllegalStateException(
							"Found no free port between %d and %d".formatted(FIRST_PORT, LAST_PORT), ex);
				}
			}
		}
	}

	private static DatagramSocket reserve(int port) throws IOException {
		DatagramSocket reservation = new DatagramSocket(new InetSocketAddress(HOST, port));
		try {
			listen(port).close();
			return reservation;
		}
		catch (IOException | UncheckedIOException ex) {
			reservation.close();
			throw ex;
		}
	}

	private static ServerSocket listen(int port) {
		try {
			ServerSocket socket = new ServerSocket();
			socket.setReuseAddress(true);
			socket.bind(new InetSocketAddress(HOST, port));
			return socket;
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot listen on port %d".formatted(port), ex);
		}
	}

	/**
	 * The socket and the thread that waits on it.
	 */
	private record Listener(ServerSocket socket, Thread thread) {

		void close() {
			try {
				this.socket.close();
				// The system goes on listening as long as a thread waits.
				this.thread.join();
			}
			catch (IOException ex) {
				throw new UncheckedIOException("Cannot close port %d".formatted(this.socket.getLocalPort()), ex);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

	}

	/**
	 * Which way bytes go.
	 *
	 * @since 0.1.0
	 */
	public enum Direction {

		/**
		 * Requests.
		 */
		TO_SERVER,

		/**
		 * Replies.
		 */
		TO_CLIENT

	}

}
