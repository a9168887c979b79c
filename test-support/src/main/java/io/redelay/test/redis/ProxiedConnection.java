package io.redelay.test.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * A client's connection to a proxy, and the proxy's own to the server.
 */
final class ProxiedConnection {

	private static final int BUFFER = 64 * 1024;

	private final Socket client;

	private final Socket server = new Socket();

	ProxiedConnection(Socket client) {
		this.client = client;
	}

	void open(InetSocketAddress address) throws IOException {
		this.client.setTcpNoDelay(true);
		this.server.setTcpNoDelay(true);
		this.server.connect(address);
	}

	/**
	 * Forwards the data of a direction, until one side closes the connection.
	 */
	void forward(TcpFaultProxy.Direction direction, TrafficControl traffic) {
		boolean toServer = direction == TcpFaultProxy.Direction.TO_SERVER;
		try {
			InputStream source = (toServer ? this.client : this.server).getInputStream();
			OutputStream sink = (toServer ? this.server : this.client).getOutputStream();
			byte[] buffer = new byte[BUFFER];
			int length = source.read(buffer);
			while (length >= 0) {
				traffic.awaitTurn(this::isClosed);
				sink.write(buffer, 0, length);
				length = source.read(buffer);
			}
			// The end of a stream is held back like the data before it.
			traffic.awaitTurn(this::isClosed);
		}
		catch (IOException ex) {
			// Broken on one side, so it is broken on the other.
		}
		finally {
			close();
		}
	}

	boolean isClosed() {
		return this.client.isClosed();
	}

	/**
	 * Closes both sides in good order: written data arrives.
	 */
	void close() {
		close(this.client);
		close(this.server);
	}

	/**
	 * Breaks both sides off, as a host that vanishes and comes back does.
	 */
	void reset() {
		reset(this.client);
		reset(this.server);
	}

	private static void reset(Socket socket) {
		try {
			socket.setSoLinger(true, 0);
		}
		catch (IOException ex) {
			// Closed before.
		}
		close(socket);
	}

	private static void close(Socket socket) {
		try {
			socket.close();
		}
		catch (IOException ex) {
			// It is of no use any more either way.
		}
	}

}
