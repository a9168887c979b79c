package io.redelay.queue.listener;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;

import io.redelay.queue.store.MessageCommand;
import io.redelay.queue.store.NewMessage;
import io.redelay.queue.store.QueueAdminStore;
import io.redelay.queue.store.ReplayMemory;
import io.redelay.queue.store.RequestProtocol;
import io.redelay.queue.store.SendReply;
import io.redelay.queue.store.StoreException;
import io.redelay.queue.store.redis.QueueScripts;
import io.redelay.queue.store.redis.RedisQueueAdminStore;
import io.redelay.queue.store.redis.TestScripts;
import io.redelay.test.TestRedis;

/**
 * The stores of an application that dies at a point of handing dead messages on: nothing
 * that it does after that reaches Redis, and it gets no answer.
 */
public final class DyingStores implements AutoCloseable {

	private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private final Point point;

	private final String target;

	private final QueueScripts store;

	private final QueueAdminStore admin;

	private volatile boolean dead;

	public DyingStores(TestRedis redis, String target, Point point) {
		this.point = point;
		this.target = target;
		this.store = TestScripts.create(redis.client(), "redelay", Duration.ofSeconds(5), this.timer, ReplayMemory.NONE,
				this::reply);
		this.admin = proxy(QueueAdminStore.class, new RedisQueueAdminStore(redis.client(), "redelay",
				Duration.ofSeconds(5), this.timer, ReplayMemory.NONE));
	}

	public QueueScripts store() {
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

	private CompletableFuture<?> reply(String script, List<Object> keys, Object[] args,
			Supplier<CompletableFuture<?>> redis) {
		boolean here = this.point.step.equals("send") && script.equals("send")
				&& keys.get(0).toString().contains("{" + this.target + "}");
		if (this.dead || (here && !this.point.carriedOut)) {
			this.dead = true;
			return noAnswer();
		}
		if (!here) {
			return redis.get();
		}
		CompletableFuture<?> sent = redis.get();
		this.dead = true;
		return sent.thenCompose((reply) -> noAnswer());
	}

	private <T> T proxy(Class<T> type, T real) {
		return type
			.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, arguments) -> {
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
		return method.equals("command") && ((List<?>) arguments[3]).stream()
			.anyMatch((command) -> ((MessageCommand) command).action().name().equals(this.point.step));
	}

	private static Object invoke(java.lang.reflect.Method method, Object real, Object[] arguments) throws Throwable {
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
