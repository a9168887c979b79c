package io.redelay.queue.wire;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.redelay.log.PlainLog;
import io.redelay.redisson.ClosedConnectionHook;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;
import org.redisson.client.DefaultCredentialsResolver;
import org.redisson.client.NettyHook;
import org.redisson.client.RedisClient;
import org.redisson.client.RedisClientConfig;
import org.redisson.client.RedisException;
import org.redisson.config.DefaultCommandMapper;
import org.redisson.connection.ConnectionManager;
import org.redisson.connection.MasterSlaveEntry;

import org.springframework.util.function.SingletonSupplier;

/**
 * Connections on which threads that wait for a reply make the request themselves: neither
 * a thread of the client nor the way back has to be woken. The client knows the nodes, so
 * these connections go where its own go, after a failover as well. What they cannot do,
 * the client does: connect with TLS, map names of keys or commands, load the script,
 * follow a redirection, repeat a request.
 * <p>
 * One is opened only while such requests follow each other closely, and closed when it is
 * not used for some seconds.
 * <p>
 * Safe for use by many threads.
 */
final class CallerConnections implements AutoCloseable {

	/**
	 * Within what time one request follows another closely.
	 */
	private static final Duration CLOSELY = Duration.ofMillis(100);

	/**
	 * For how long a connection stays open that is not used: far less than the shortest
	 * time after which servers and networks drop one.
	 */
	private static final Duration IDLE = Duration.ofSeconds(2);

	/**
	 * For how long all requests go through the client after a failure; twice as long
	 * after each further one to connect.
	 */
	private static final Duration PAUSE = Duration.ofSeconds(1);

	private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

	private static final Log logger = PlainLog.of(CallerConnections.class);

	private final ConnectionManager nodes;

	private final SingletonSupplier<byte[]> sha;

	private final int most;

	private final Scheduler scheduler;

	private final NettyHook hook;

	private final Runnable unsubscription;

	private final Deque<CallerConnection> idle = new ConcurrentLinkedDeque<>();

	private final AtomicInteger open = new AtomicInteger();

	private final AtomicBoolean lookScheduled = new AtomicBoolean();

	private volatile long lastRequestNanos;

	private volatile long pauseEndNanos;

	private volatile Duration connectPause = PAUSE;

	private volatile boolean closed;

	/**
	 * Creates connections, of which none is open yet.
	 * @param nodes the nodes as the client knows them
	 * @param script the text of the script that they run, asked for with the first
	 * request
	 * @param most how many there are at most
	 * @param scheduler when to close those that are not used
	 */
	CallerConnections(ConnectionManager nodes, Supplier<String> script, int most, Scheduler scheduler) {
		this.nodes = nodes;
		this.sha = SingletonSupplier.of(() -> sha(script.get()));
		this.most = most;
		this.scheduler = scheduler;
		this.hook = nodes.getServiceManager().getCfg().getNettyHook();
		this.unsubscription = (this.hook instanceof ClosedConnectionHook closing)
				? closing.onSuspend(() -> closeIdle(0)) : () -> {
				};
		this.lastRequestNanos = scheduler.nanoTime() - CLOSELY.toNanos();
		this.pauseEndNanos = scheduler.nanoTime();
	}

	/**
	 * Runs the script on this thread.
	 * @return its reply, or {@code null} if it certainly was not run, or has written
	 * nothing
	 * @throws IOException if it is unknown whether it was run
	 * @throws RedisException if it failed, as the client throws it
	 */
	byte @Nullable [] evaluate(List<Object> keys, Object[] args) throws IOException {
		long now = this.scheduler.nanoTime();
		boolean closely = now - this.lastRequestNanos < CLOSELY.toNanos();
		this.lastRequestNanos = now;
		// A virtual thread that is interrupted would lose the connection.
		if (this.closed || !closely || now - this.pauseEndNanos < 0 || Thread.currentThread().isInterrupted()
				|| isTooLarge(args)) {
			return null;
		}
		CallerConnection connection = take(keys);
		if (connection == null) {
			return null;
		}
		CallerConnection.Reply reply = null;
		try {
			reply = connection.evaluate(this.sha.obtain(), keys, args);
		}
		finally {
			if (reply == null) {
				pause(PAUSE);
				discard(connection);
				// The others are likely to be lost as well.
				closeIdle(0);
			}
		}
		if (reply.words() != null || reply.error().startsWith("-NOSCRIPT")) {
			giveBack(connection);
			return reply.words();
		}
		pause(PAUSE);
		discard(connection);
		if (!RedisFailures.hasWrittenNothing(reply.error())) {
			throw RedisFailures.replied(reply.error());
		}
		return null;
	}

	private static boolean isTooLarge(Object[] args) {
		long size = 0;
		for (Object arg : args) {
			size += CallerConnection.size(arg);
		}
		return size > CallerConnection.LARGEST_ARGS;
	}

	private @Nullable CallerConnection take(List<Object> keys) {
		try {
			MasterSlaveEntry entry = this.nodes.getWriteEntry(this.nodes.calcSlot(keys.get(0).toString()));
			RedisClient node = (entry != null) ? entry.getClient() : null;
			if (node == null || !isSupported(node)) {
				return null;
			}
			CallerConnection unused = unused(node);
			return (unused != null) ? unused : open(node);
		}
		catch (IOException | RuntimeException ex) {
			logger.debug("No connection for a calling thread; the request goes through the client", ex);
			Duration pause = this.connectPause;
			pause(pause);
			Duration doubled = pause.multipliedBy(2);
			this.connectPause = (doubled.compareTo(LONGEST_PAUSE) < 0) ? doubled : LONGEST_PAUSE;
			return null;
		}
	}

	private @Nullable CallerConnection unused(RedisClient node) {
		for (int i = 0; i < this.most; i++) {
			CallerConnection each = this.idle.pollFirst();
			if (each == null || each.node() == node) {
				return each;
			}
			this.idle.addLast(each);
			closeIfClosed();
		}
		return null;
	}

	private boolean isSupported(RedisClient node) {
		RedisClientConfig config = node.getConfig();
		return !node.isShutdown() && !config.getAddress().isSsl()
				&& config.getCredentialsResolver() instanceof DefaultCredentialsResolver
				&& config.getCommandMapper() instanceof DefaultCommandMapper
				&& !ClosedConnectionHook.changesConnections(this.hook) && !ClosedConnectionHook.isSuspended(this.hook);
	}

	private @Nullable CallerConnection open(RedisClient node) throws IOException {
		InetSocketAddress address = node.getAddr();
		if (address == null || address.isUnresolved() || !hasRoom()) {
			return null;
		}
		boolean opened = false;
		try {
			CallerConnection connection = CallerConnection.open(node, address);
			opened = true;
			this.connectPause = PAUSE;
			return connection;
		}
		finally {
			if (!opened) {
				this.open.decrementAndGet();
			}
		}
	}

	/**
	 * Takes room for another connection, for which an unused one to another node is
	 * closed.
	 */
	private boolean hasRoom() {
		if (this.open.incrementAndGet() <= this.most) {
			return true;
		}
		CallerConnection unused = this.idle.pollLast();
		if (unused != null) {
			discard(unused);
			return true;
		}
		this.open.decrementAndGet();
		return false;
	}

	private void giveBack(CallerConnection connection) {
		connection.usedAt(this.scheduler.nanoTime());
		this.idle.addFirst(connection);
		if (!closeIfClosed()) {
			lookLater();
		}
	}

	/**
	 * To be called when a connection was put back: nothing else closes it after the end,
	 * or while the client is suspended.
	 */
	private boolean closeIfClosed() {
		boolean closed = this.closed || ClosedConnectionHook.isSuspended(this.hook);
		if (closed) {
			closeIdle(0);
		}
		return closed;
	}

	private void discard(CallerConnection connection) {
		connection.close();
		this.open.decrementAndGet();
	}

	private void pause(Duration pause) {
		this.pauseEndNanos = this.scheduler.nanoTime() + pause.toNanos();
	}

	private void lookLater() {
		if (!this.lookScheduled.get() && this.lookScheduled.compareAndSet(false, true)
				&& this.scheduler.schedule(this::look, IDLE) == null) {
			// The timer is closed, as the application is closing.
			this.closed = true;
			closeIdle(0);
		}
	}

	private void look() {
		this.lookScheduled.set(false);
		closeIdle(IDLE.toNanos());
		closeIfClosed();
		if (this.open.get() > 0) {
			lookLater();
		}
	}

	private void closeIdle(long nanos) {
		long now = this.scheduler.nanoTime();
		for (int i = 0; i < this.most; i++) {
			CallerConnection each = this.idle.pollLast();
			if (each == null) {
				return;
			}
			if (now - each.lastUsedNanos() >= nanos) {
				discard(each);
			}
			else {
				this.idle.addFirst(each);
			}
		}
	}

	/**
	 * Closes what is not in use now; the rest is closed after its request.
	 */
	@Override
	public void close() {
		this.closed = true;
		this.unsubscription.run();
		closeIdle(0);
	}

	private static byte[] sha(String text) {
		try {
			byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
			return HexFormat.of().formatHex(digest).getBytes(StandardCharsets.ISO_8859_1);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
