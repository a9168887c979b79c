package io.redelay.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;

/**
 * Speaks TLS to clients, and plain text to the server behind it.
 */
final class TlsProxy implements AutoCloseable {

	private final SSLServerSocket listener;

	private final int target;

	private final List<Socket> sockets = new CopyOnWriteArrayList<>();

	TlsProxy(SSLContext context, int target) throws IOException {
		this.listener = (SSLServerSocket) context.getServerSocketFactory()
			.createServerSocket(0, 50, InetAddress.getLoopbackAddress());
		this.target = target;
		run(this::accept);
	}

	int port() {
		return this.listener.getLocalPort();
	}

	private void accept() throws IOException {
		while (true) {
			Socket client = this.listener.accept();
			Socket server = new Socket(InetAddress.getLoopbackAddress(), this.target);
			this.sockets.addAll(List.of(client, server));
			run(() -> copy(client, server));
			run(() -> copy(server, client));
		}
	}

	private void copy(Socket from, Socket to) throws IOException {
		try (from; to; InputStream in = from.getInputStream()) {
			in.transferTo(to.getOutputStream());
		}
	}

	private void run(Transfer transfer) {
		Thread thread = new Thread(() -> {
			try {
				transfer.run();
			}
			catch (IOException ex) {
				// One of the sides is done.
			}
		}, "tls-proxy");
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public void close() throws IOException {
		this.listener.close();
		for (Socket socket : this.sockets) {
			socket.close();
		}
	}

	private interface Transfer {

		void run() throws IOException;

	}

}
