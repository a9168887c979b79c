package io.redelay.redisson;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.redisson.client.DefaultNettyHook;
import org.redisson.client.NettyHook;
import org.redisson.client.RedisConnection;
import org.redisson.client.RedisConnectionException;
import org.redisson.client.RedisReconnectedException;
import org.redisson.client.WriteRedisConnectionException;
import org.redisson.client.handler.CommandsQueue;
import org.redisson.client.protocol.CommandsData;
import org.redisson.client.protocol.QueueCommand;
import org.redisson.client.protocol.QueueCommandHolder;
import org.redisson.config.Config;

/**
 * Fails the commands that wait for an answer on a connection as soon as the connection
 * closes. Without it Redisson 4.7 fails only the commands it had not written yet, and
 * waits until {@code timeout} for answers that cannot come.
 * <p>
 * Redisson sends a command that fails in this way again as after a timeout,
 * {@code retryAttempts} times, or else ends it with a {@link RedisReconnectedException}.
 * Scripts in a batch are not sent again and end with a {@link RedisConnectionException}:
 * one of them acquires locks where there are replicas, and a lock that is acquired twice
 * stays held after it was released.
 * <p>
 * Redelay's own client has it. An application that makes its {@code RedissonClient}
 * itself adds it by {@link #install(Config)}. It costs nothing until a connection closes.
 * <p>
 * A client with this hook can do without connections for a while: {@link #suspend()}
 * closes them all, and none is opened before {@link #resume()}. So a checkpoint of the
 * JVM holds no open socket.
 *
 * @since 0.1.0
 */
public final class ClosedConnectionHook implements NettyHook {

	private final NettyHook next;

	private final Watch watch = new Watch();

	private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

	private final Set<Channel> channels = ConcurrentHashMap.newKeySet();

	private final List<Runnable> others = new CopyOnWriteArrayList<>();

	private volatile boolean suspended;

	private ClosedConnectionHook(NettyHook next) {
		this.next = next;
	}

	/**
	 * Adds the hook to a configuration, and keeps the one it has. Does nothing if it was
	 * added before.
	 * @param config the configuration of a client that is not created yet, for any kind
	 * of Redis
	 */
	public static void install(Config config) {
		if (!(config.getNettyHook() instanceof ClosedConnectionHook)) {
			config.setNettyHook(new ClosedConnectionHook(config.getNettyHook()));
		}
	}

	/**
	 * Returns whether an application changes the connections of a client, which is then
	 * not to be connected to Redis in any other way.
	 * @param hook the hook of the client
	 * @return whether there is a hook beside this one and Redisson's own
	 */
	public static boolean changesConnections(NettyHook hook) {
		NettyHook inner = (hook instanceof ClosedConnectionHook closed) ? closed.next : hook;
		return !(inner instanceof DefaultNettyHook);
	}

	/**
	 * Adds a listener of connections that closed although the client did not close them.
	 * @param listener the listener; it is called on a thread that must not be blocked
	 */
	public void onLostConnection(Runnable listener) {
		this.listeners.add(listener);
	}

	/**
	 * Closes all connections of the client. Until {@link #resume()} a connection that the
	 * client opens is closed before it reaches Redis, so requests fail.
	 * @return completes when they are closed
	 */
	public CompletableFuture<Void> suspend() {
		this.suspended = true;
		this.others.forEach(Runnable::run);
		return CompletableFuture.allOf(this.channels.stream().map((channel) -> {
			CompletableFuture<Void> closed = new CompletableFuture<>();
			channel.close().addListener((future) -> closed.complete(null));
			return closed;
		}).toArray(CompletableFuture[]::new));
	}

	/**
	 * Lets the client connect again, which it does at the next request. Subscriptions
	 * come back by themselves.
	 */
	public void resume() {
		this.suspended = false;
	}

	/**
	 * Returns whether a client must not connect to Redis now.
	 * @param hook the hook of the client
	 * @return whether it is a suspended hook of this type
	 */
	public static boolean isSuspended(NettyHook hook) {
		return hook instanceof ClosedConnectionHook closed && closed.suspended;
	}

	/**
	 * Adds an action that closes connections which the client does not know.
	 * @param action called by {@link #suspend()}; must be quick
	 * @return removes the action
	 */
	public Runnable onSuspend(Runnable action) {
		this.others.add(action);
		return () -> this.others.remove(action);
	}

	@Override
	public void afterBoostrapInitialization(Bootstrap bootstrap) {
		this.next.afterBoostrapInitialization(bootstrap);
	}

	@Override
	public void afterChannelInitialization(Channel channel) {
		this.channels.add(channel);
		channel.closeFuture().addListener((closed) -> this.channels.remove(channel));
		if (this.suspended) {
			channel.close();
		}
		ChannelHandlerContext queue = channel.pipeline().context(CommandsQueue.class);
		// A connection for subscriptions has no queue, and subscribes again by itself.
		if (queue != null) {
			channel.pipeline().addBefore(queue.name(), null, this.watch);
		}
		this.next.afterChannelInitialization(channel);
	}

	/**
	 * Placed before the queue of a connection, which forgets all commands when the
	 * connection closes.
	 */
	@Sharable
	private final class Watch extends ChannelInboundHandlerAdapter {

		@Override
		public void channelInactive(ChannelHandlerContext context) {
			List<QueueCommand> unanswered = unanswered(context.channel());
			// The queue itself fails commands that were not written, as certainly not
			// executed.
			context.fireChannelInactive();
			String message = "The connection closed before the answer came: " + context.channel();
			// Of the type that leaves it open whether Redis carried it out.
			unanswered.forEach((command) -> command.tryFailure(hasScriptInBatch(command)
					? new WriteRedisConnectionException(message) : new RedisReconnectedException(message)));
			if (!ClosedConnectionHook.this.suspended && !isClosedByClient(context.channel())) {
				ClosedConnectionHook.this.listeners.forEach(Runnable::run);
			}
		}

		private static boolean isClosedByClient(Channel channel) {
			RedisConnection connection = RedisConnection.getFrom(channel);
			return connection == null || connection.isClosed() || connection.getRedisClient().isShutdown();
		}

		private static boolean hasScriptInBatch(QueueCommand command) {
			return command instanceof CommandsData batch
					&& batch.getCommands().stream().anyMatch((each) -> each.getCommand().getName().startsWith("EVAL"));
		}

		private static List<QueueCommand> unanswered(Channel channel) {
			List<QueueCommand> unanswered = new ArrayList<>();
			Queue<QueueCommandHolder> commands = channel.attr(CommandsQueue.COMMANDS_QUEUE).get();
			if (commands != null) {
				for (QueueCommandHolder each : commands) {
					// Redisson sends a blocking command again when it has reconnected.
					if (each.getChannelPromise().isSuccess() && !each.getCommand().isBlockingCommand()) {
						unanswered.add(each.getCommand());
					}
				}
			}
			return unanswered;
		}

	}

}
