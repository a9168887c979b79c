package io.redelay.autoconfigure;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A server that reads the first byte of each connection, and closes it.
 */
final class FirstBytes implements AutoCloseable {

	/**
	 * The first byte of a TLS handshake; a Redis command begins with an asterisk.
	 */
	static final int TLS_HANDSHAKE = 0x16;

	private final ServerSocket server;

	private final List<Integer> seen = new CopyOnWriteArrayList<>();

	FirstBytes() throws IOException {
		this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		Thread thread = new Thread(this::accept, "first-bytes");
		thread.setDaemon(true);
		thread.start();
	}

	int port() {
		return this.server.getLocalPort();
	}

	List<Integer> seen() {
		return this.seen;
	}

	private void accept() {
		while (!this.server.isClosed()) {
			try (Socket socket = this.server.accept()) {
				this.seen.add(socket.getInputStream().read());
			}
			catch (IOException ex) {
				// The client or the test is done.
			}
		}
	}

	@Override
	public void close() throws IOException {
		this.server.close();
	}

}
