package io.redelay.queue.wire;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.redisson.client.RedisClient;
import org.redisson.client.RedisClientConfig;

/**
 * A connection on which the calling thread itself writes a request, and reads the reply.
 * <p>
 * For one thread at a time.
 */
final class CallerConnection {

	private static final int BUFFER = 8 * 1024;

	/**
	 * The size of what is not sent here, in bytes. Anything smaller is in the buffer of
	 * the socket at once: a write has no timeout.
	 */
	static final int TOO_LARGE = 64 * 1024;

	/**
	 * How long to wait for a reply at most: a request may be repeated, and a network that
	 * drops packets is not noticed in another way.
	 */
	private static final int LONGEST_WAIT_MILLIS = 10_000;

	/**
	 * The largest reply; a script of the queue replies with far less.
	 */
	private static final int LARGEST_REPLY = 16 * 1024 * 1024;

	private static final byte[] LINE_END = { '\r', '\n' };

	private final RedisClient node;

	private final Socket socket;

	private final InputStream in;

	private final OutputStream out;

	private final byte[] read = new byte[BUFFER];

	private int position;

	private int end;

	private byte[] written = new byte[BUFFER];

	private int length;

	private long lastUsedNanos;

	private CallerConnection(RedisClient node, Socket socket) throws IOException {
		this.node = node;
		this.socket = socket;
		this.in = socket.getInputStream();
		this.out = socket.getOutputStream();
	}

	/**
	 * Connects as the client connects to a node.
	 * @param node the node, to which the client connects in plain text
	 */
	static CallerConnection open(RedisClient node, InetSocketAddress address) throws IOException {
		RedisClientConfig config = node.getConfig();
		Socket socket = new Socket();
		try {
			socket.setTcpNoDelay(true);
			socket.setKeepAlive(true);
			socket.setSendBufferSize(2 * TOO_LARGE);
			socket.setSoTimeout(Math.min(config.getCommandTimeout(), LONGEST_WAIT_MILLIS));
			socket.connect(address, config.getConnectTimeout());
			CallerConnection connection = new CallerConnection(node, socket);
			connection.logIn(config);
			return connection;
		}
		catch (IOException | RuntimeException ex) {
			socket.close();
			throw ex;
		}
	}

	private void logIn(RedisClientConfig config) throws IOException {
		if (config.getPassword() != null) {
			command((config.getUsername() != null) ? List.of("AUTH", config.getUsername(), config.getPassword())
					: List.of("AUTH", config.getPassword()));
		}
		if (config.getDatabase() > 0) {
			command(List.of("SELECT", config.getDatabase()));
		}
		if (config.getClientName() != null) {
			command(List.of("CLIENT", "SETNAME", config.getClientName()));
		}
	}

	private void command(List<Object> words) throws IOException {
		begin(words.size());
		for (Object word : words) {
			add(word);
		}
		send();
		byte[] line = line();
		if (line[0] != '+') {
			throw new IOException("Redis refused " + words.get(0) + ": " + text(line));
		}
	}

	/**
	 * Runs a script that Redis has loaded.
	 * @return its reply, or the error that Redis replied with, which changed nothing
	 */
	Reply evaluate(byte[] sha, List<Object> keys, Object[] args) throws IOException {
		begin(3 + keys.size() + args.length);
		add("EVALSHA");
		add(sha);
		add(keys.size());
		for (Object key : keys) {
			add(key);
		}
		for (Object arg : args) {
			add(arg);
		}
		send();
		byte[] line = line();
		if (line[0] == '-') {
			return new Reply(null, text(line));
		}
		int size = (line[0] == '$') ? Integer.parseInt(text(line), 1, line.length, 10) : -1;
		if (size < 0 || size > LARGEST_REPLY) {
			throw new IOException("Not the reply of a script: " + text(line));
		}
		byte[] bytes = new byte[size];
		for (int i = 0; i < size; i++) {
			bytes[i] = next();
		}
		next();
		next();
		return new Reply(bytes, "");
	}

	private void begin(int words) {
		this.length = 0;
		head('*', words);
	}

	private void add(Object word) {
		byte[] bytes = (word instanceof byte[] given) ? given : word.toString().getBytes(StandardCharsets.UTF_8);
		head('$', bytes.length);
		append(bytes);
		append(LINE_END);
	}

	private void head(char type, int number) {
		append((type + Integer.toString(number) + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
	}

	private void append(byte[] bytes) {
		int needed = this.length + bytes.length;
		if (needed > this.written.length) {
			this.written = Arrays.copyOf(this.written, Math.max(needed, this.written.length * 2));
		}
		System.arraycopy(bytes, 0, this.written, this.length, bytes.length);
		this.length = needed;
	}

	private void send() throws IOException {
		this.out.write(this.written, 0, this.length);
	}

	/**
	 * Reads a line, which has one character at least.
	 */
	private byte[] line() throws IOException {
		byte[] line = new byte[64];
		int size = 0;
		for (byte read = next(); read != '\r'; read = next()) {
			if (size == BUFFER) {
				throw new IOException("A line of Redis has no end");
			}
			if (size == line.length) {
				line = Arrays.copyOf(line, size * 2);
			}
			line[size++] = read;
		}
		next();
		if (size == 0) {
			throw new IOException("Redis replied with an empty line");
		}
		return Arrays.copyOf(line, size);
	}

	private byte next() throws IOException {
		if (this.position == this.end) {
			this.position = 0;
			this.end = Math.max(0, this.in.read(this.read));
			if (this.end == 0) {
				throw new EOFException("Redis closed the connection");
			}
		}
		return this.read[this.position++];
	}

	private static String text(byte[] line) {
		return new String(line, StandardCharsets.UTF_8);
	}

	RedisClient node() {
		return this.node;
	}

	long lastUsedNanos() {
		return this.lastUsedNanos;
	}

	void usedAt(long nanos) {
		this.lastUsedNanos = nanos;
	}

	void close() {
		try {
			this.socket.close();
		}
		catch (IOException ex) {
			// It is not used any more.
		}
	}

	/**
	 * What Redis replied to a script.
	 *
	 * @param words the words, or {@code null} if it is an error
	 * @param error the error
	 */
	@SuppressWarnings("ArrayRecordComponent") // never compared
	record Reply(byte @Nullable [] words, String error) {

	}

}
