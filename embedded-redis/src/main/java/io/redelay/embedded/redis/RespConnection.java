package io.redelay.embedded.redis;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A connection to a Redis server, for the few commands that running one needs.
 */
final class RespConnection implements AutoCloseable {

	private final Socket socket;

	private final OutputStream requests;

	private final RespReader replies;

	private RespConnection(Socket socket) throws IOException {
		this.socket = socket;
		this.requests = new BufferedOutputStream(socket.getOutputStream());
		this.replies = new RespReader(new BufferedInputStream(socket.getInputStream()));
	}

	static RespConnection open(int port, @Nullable String password, Duration timeout) throws IOException {
		Socket socket = new Socket();
		try {
			int millis = Math.toIntExact(timeout.toMillis());
			socket.setTcpNoDelay(true);
			socket.setSoTimeout(millis);
			socket.connect(new InetSocketAddress(RedisServer.HOST, port), millis);
			RespConnection connection = new RespConnection(socket);
			if (password != null) {
				connection.command("AUTH", password);
			}
			return connection;
		}
		catch (IOException | RuntimeException ex) {
			socket.close();
			throw ex;
		}
	}

	/**
	 * Runs a command.
	 * @param words the command and its arguments
	 * @return a {@link String}, a {@link Long}, a {@link java.util.List} of these, or
	 * {@code null}
	 * @throws RedisErrorException if the server refuses it
	 */
	synchronized @Nullable Object command(String... words) throws IOException {
		write("*", words.length);
		for (String word : words) {
			byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
			write("$", bytes.length);
			this.requests.write(bytes);
			write("\r\n");
		}
		this.requests.flush();
		Object reply = this.replies.read();
		if (reply instanceof RespReader.ErrorReply error) {
			throw new RedisErrorException(error.message(), words[0]);
		}
		return reply;
	}

	/**
	 * Runs a command whose reply is text.
	 */
	String text(String... words) throws IOException {
		return String.valueOf(command(words));
	}

	private void write(String type, int length) throws IOException {
		write(type + length + "\r\n");
	}

	private void write(String text) throws IOException {
		this.requests.write(text.getBytes(StandardCharsets.US_ASCII));
	}

	@Override
	public void close() {
		try {
			this.socket.close();
		}
		catch (IOException ex) {
			// It is of no use any more either way.
		}
	}

}
