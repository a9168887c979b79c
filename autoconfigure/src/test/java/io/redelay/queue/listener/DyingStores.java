package io.redelay.queue.listener;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

import io.redelay.queue.store.DelayQueueStore;
import io.redelay.queue.store.MessageCommand;
import io.redelay.queue.store.NewMessage;
import io.redelay.queue.store.QueueAdminStore;
import io.redelay.queue.store.ReplayMemory;
import io.redelay.queue.store.RequestProtocol;
import io.redelay.queue.store.SendReply;
import io.redelay.queue.store.StoreException;
import io.redelay.queue.store.redis.RedisDelayQueueStore;
import io.redelay.queue.store.redis.RedisQueueAdminStore;
import io.redelay.test.TestRedis;
import org.mockito.Mockito;

/**
 * The stores of an application that dies at a point of handing dead messages on: nothing
 * that it does after that reaches Redis, and it gets no answer.
 */
public final class DyingStores implements AutoCloseable {

	private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private final Point point;

	private final String target;

	private final DelayQueueStore store;

	private final QueueAdminStore admin;

	private volatile boolean dead;

	public DyingStores(TestRedis redis, String target, Point point) {
		this.point = point;
		this.target = target;
		this.store = proxy(DelayQueueStore.class, new RedisDelayQueueStore(redis.client(), "redelay",
				Duration.ofSeconds(5), this.timer, ReplayMemory.NONE));
		this.admin = proxy(RedisQueueAdminStore.class, new RedisQueueAdminStore(redis.client(), "redelay",
				Duration.ofSeconds(5), this.timer, ReplayMemory.NONE));
	}

	public DelayQueueStore store() {
		return this.store;
	}

	public QueueAdminStore admin() {
		return this.admin;
	}

	public boolean isDead() {
		return this.dead;
	}

	@Override
	public void close() {
		this.timer.shutdownNow();
	}

	@SuppressWarnings("unchecked")
	private <T> T proxy(Class<T> type, T real) {
		return Mockito.mock(type, Mockito.withSettings().stubOnly().defaultAnswer((invocation) -> {
			Method method = invocation.getMethod();
			Object[] arguments = invocation.getArguments();
			if (method.getName().equals("sends")) {
				return sends((RequestProtocol<NewMessage, SendReply>) invoke(method, real, arguments),
						arguments[0].equals(this.target));
			}
			boolean here = isHere(method.getName(), arguments);
			if (this.dead || (here && !this.point.carriedOut)) {
				this.dead = true;
				return (method.getReturnType() == CompletableFuture.class) ? noAnswer() : null;
			}
			Object result = invoke(method, real, arguments);
			if (here) {
				this.dead = true;
				return ((CompletableFuture<?>) result).thenCompose((reply) -> noAnswer());
			}
			return result;
		}));
	}

	/**
	 * Dies at the request of a send, or has none if it is dead.
	 */
	private RequestProtocol<NewMessage, SendReply> sends(RequestProtocol<NewMessage, SendReply> real,
			boolean toTarget) {
		boolean dies = toTarget && this.point.step.equals("send");
		return new RequestProtocol<>(real.settings(), real.bytes(), () -> this.dead ? noAnswer() : real.open().get(),
				(lane, seq, renews, messages, attempt) -> {
					if (this.dead || (dies && !this.point.carriedOut)) {
						this.dead = true;
						return noAnswer();
					}
					CompletableFuture<SendReply> sent = real.run().run(lane, seq, renews, messages, attempt);
					if (!dies) {
						return sent;
					}
					this.dead = true;
					return sent.thenCompose((reply) -> noAnswer());
				}, (lane) -> this.dead ? noAnswer() : real.check().apply(lane));
	}

	private boolean isHere(String method, Object[] arguments) {
		return switch (this.point.step) {
			case "send" -> false;
			default -> method.equals("command") && ((List<?>) arguments[3]).stream()
				.anyMatch((command) -> ((MessageCommand) command).action() == MessageCommand.Action
					.valueOf(this.point.step));
		};
	}

	private static Object invoke(Method method, Object real, Object[] arguments) throws Throwable {
		try {
			return method.invoke(real, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getCause();
		}
	}

	private static <T> CompletableFuture<T> noAnswer() {
		return CompletableFuture.failedFuture(new StoreException("the instance is dead", null));
	}

	/**
	 * Where it dies.
	 */
	public enum Point {

		BEFORE_THE_MARK("FORWARD", false),

		AFTER_THE_MARK("FORWARD", true),

		BEFORE_THE_COPY("send", false),

		AFTER_THE_COPY("send", true),

		BEFORE_THE_REMOVAL("FORWARDED", false),

		AFTER_THE_REMOVAL("FORWARDED", true);

		private final String step;

		private final boolean carriedOut;

		Point(String step, boolean carriedOut) {
			this.step = step;
			this.carriedOut = carriedOut;
		}

	}

}
