package io.redelay.embedded.redis;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports to try. They lie below those that systems give to outgoing connections, so that
 * the port of a server that is down for a moment is not taken, and low enough for the bus
 * of a cluster node, which is ten thousand above.
 */
final class FreePort {

	private static final int FIRST = 15_000;

	private static final int LAST = 22_700;

	private static final int CANDIDATES = 1_000;

	private FreePort() {
	}

	/**
	 * Returns a port that was free a moment ago. Another process may be faster, so
	 * whoever uses it must be ready to ask for another.
	 */
	static int pick() {
		for (int i = 0; i < CANDIDATES; i++) {
			int candidate = ThreadLocalRandom.current().nextInt(FIRST, LAST);
			if (isFree(candidate)) {
				return candidate;
			}
		}
		throw new IllegalStateException("Found no free port between %d and %d".formatted(FIRST, LAST));
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

}
