package io.redelay.embedded.redis;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.util.concurrent.ThreadLocalRandom;

import org.jspecify.annotations.Nullable;

/**
 * A port that no other server of this class gets until it is closed, in this JVM or
 * another: also while the server that uses it is down. It is reserved by the UDP port of
 * the same number, which the system gives to one process at a time and frees with it.
 * <p>
 * Ports lie below those of outgoing connections, so that the port of a server that is
 * down for a moment is not taken. They leave room for the bus of a cluster node, which is
 * ten thousand above.
 *
 * @param number the number of the port
 * @param reservation keeps it reserved
 */
record FreePort(int number, DatagramSocket reservation) implements AutoCloseable {

	private static final int FIRST = 15_000;

	private static final int LAST = 22_700;

	private static final int CANDIDATES = 1_000;

	/**
	 * Reserves a port on which nothing listened a moment ago. A program without
	 * reservations may still be faster, so the caller must be ready to reserve another.
	 */
	static FreePort reserve() {
		for (int i = 0; i < CANDIDATES; i++) {
			FreePort port = tryReserve(ThreadLocalRandom.current().nextInt(FIRST, LAST));
			if (port != null) {
				return port;
			}
		}
		throw new IllegalStateException("Found no free port between %d and %d".formatted(FIRST, LAST));
	}

	/**
	 * Reserves a certain port.
	 * @return the port, or {@code null} if it is reserved or something listens on it
	 */
	static @Nullable FreePort tryReserve(int number) {
		DatagramSocket reservation;
		try {
			reservation = new DatagramSocket(new InetSocketAddress(RedisServer.HOST, number));
		}
		catch (SocketException ex) {
			return null;
		}
		if (!isFree(number)) {
			reservation.close();
			return null;
		}
		return new FreePort(number, reservation);
	}

	private static boolean isFree(int port) {
		try (ServerSocket socket = new ServerSocket()) {
			socket.setReuseAddress(true);
			socket.bind(new InetSocketAddress(RedisServer.HOST, port));
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

	@Override
	public void close() {
		this.reservation.close();
	}

}
