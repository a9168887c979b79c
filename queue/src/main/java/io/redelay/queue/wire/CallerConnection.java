package io.redelay.queue.wire;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.redisson.client.RedisClient;
import org.redisson.client.RedisClientConfig;
import org.redisson.misc.RedisURI;

/**
 * A connection on which the calling thread itself writes a request, and reads the reply.
 * <p>
 * For one thread at a time.
 */
final class CallerConnection {

	private static final int BUFFER = 8 * 1024;

	/**
	 * How large the arguments of a request may be, in bytes. All of it is in the buffer
	 * of the socket at once then: a write has no timeout.
	 */
	static final int LARGEST_ARGS = 32 * 1024;

	/**
	 * How long to wait for a connection at most. The client, which has more time, makes
	 * the request without one.
	 */
	private static final int LONGEST_CONNECT_MILLIS = 500;

	/**
	 * How long to wait for a reply at most. The client makes the request again then, and
	 * its wait is watched: see {@link ReplyWatchdog}.
	 */
	private static final int LONGEST_WAIT_MILLIS = 2_000;

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
			socket.setSendBufferSize(4 * LARGEST_ARGS);
			socket.setSoTimeout(bounded(config.getCommandTimeout(), LONGEST_WAIT_MILLIS));
			socket.connect(address, bounded(config.getConnectTimeout(), LONGEST_CONNECT_MILLIS));
			CallerConnection connection = new CallerConnection(node, socket);
			connection.logIn(config);
			return connection;
		}
		catch (IOException | RuntimeException ex) {
			socket.close();
			throw ex;
		}
	}

	/**
	 * A timeout of 0 is none for a socket.
	 */
	private static int bounded(int millis, int most) {
		return (millis > 0) ? Math.min(millis, most) : most;
	}

	private void logIn(RedisClientConfig config) throws IOException {
		// As the client does it: what the address has goes first.
		RedisURI uri = config.getAddress();
		String user = (uri.getUsername() != null) ? uri.getUsername() : config.getUsername();
		String password = (uri.getPassword() != null) ? uri.getPassword() : config.getPassword();
		if (password != null) {
			command((user != null) ? List.of("AUTH", user, password) : List.of("AUTH", password));
		}
		if (config.getDatabase() > 0) {
			command(List.of("SELECT", Integer.toString(config.getDatabase())));
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
			// The rest of the line may repeat the words, which may be secret.
			throw new IOException("Redis refused " + words.get(0) + ": " + text(line).split(" ", 2)[0]);
		}
	}

	/**
	 * Runs a script that Redis has loaded.
	 * @return its reply, or the error that Redis replied with, mostly before it ran the
	 * script
	 */
	Reply evaluate(byte[] sha, List<Object> keys, Object[] args) throws IOException {
		begin(3 + keys.size() + args.length);
		add("EVALSHA");
		add(sha);
		add(Integer.toString(keys.size()));
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
		if (word instanceof ByteBuffer part) {
			add(part.array(), part.arrayOffset() + part.position(), part.remaining());
		}
		else {
			byte[] bytes = (word instanceof byte[] given) ? given : text(word).getBytes(StandardCharsets.UTF_8);
			add(bytes, 0, bytes.length);
		}
	}

	private void add(byte[] bytes, int start, int size) {
		head('$', size);
		append(bytes, start, size);
		append(LINE_END);
	}

	/**
	 * Returns how large an argument is, or a text at least, in bytes.
	 */
	static int size(Object word) {
		return (word instanceof ByteBuffer part) ? part.remaining()
				: (word instanceof byte[] bytes) ? bytes.length : text(word).length();
	}

	private static String text(Object word) {
		if (word instanceof String text) {
			return text;
		}
		throw new IllegalArgumentException("Not an argument of a script: " + word.getClass().getName());
	}

	private void head(char type, int number) {
		append((type + Integer.toString(number) + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
	}

	private void append(byte[] bytes) {
		append(bytes, 0, bytes.length);
	}

	private void append(byte[] bytes, int start, int size) {
		int needed = this.length + size;
		if (needed > this.written.length) {
			this.written = Arrays.copyOf(this.written, Math.max(needed, this.written.length * 2));
		}
		System.arraycopy(bytes, start, this.written, this.length, size);
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
