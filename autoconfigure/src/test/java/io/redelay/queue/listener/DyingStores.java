package io.redelay.queue.listener;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;

import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.script.MessageCommand;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.SteerScript;
import io.redelay.queue.wire.RedisAvailability;
import io.redelay.queue.wire.TestScripts;
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

	private final QueueScripts store;

	private final AdminScripts admin;

	private volatile boolean dead;

	public DyingStores(TestRedis redis, String target, Point point) {
		this.point = point;
		this.target = target;
		this.store = TestScripts.create(redis.client(), "redelay", Duration.ofSeconds(5), this.timer, ReplayMemory.NONE,
				this::reply);
		this.admin = dying(new AdminScripts(redis.client(), "redelay", Duration.ofSeconds(5), this.timer,
				ReplayMemory.NONE, new RedisAvailability(this.timer)));
	}

	public QueueScripts store() {
		return this.store;
	}

	public AdminScripts admin() {
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

	/**
	 * Returns scripts of which one dies at its point, and whose parts do.
	 */
	@SuppressWarnings("unchecked")
	private <T> T dying(T real) {
		Map<String, Object> parts = new ConcurrentHashMap<>();
		return (T) Mockito.mock(real.getClass(), Mockito.withSettings().spiedInstance(real).defaultAnswer((call) -> {
			Class<?> type = call.getMethod().getReturnType();
			if (type.getPackage() == AdminScripts.class.getPackage()) {
				Object part = call.callRealMethod();
				return parts.computeIfAbsent(call.getMethod().getName(), (name) -> dying(part));
			}
			if (type != CompletableFuture.class) {
				return call.callRealMethod();
			}
			boolean here = real instanceof SteerScript && isHere(call.getMethod().getName(), call.getArguments());
			if (this.dead || (here && !this.point.carriedOut)) {
				this.dead = true;
				return noAnswer();
			}
			CompletableFuture<?> answer = (CompletableFuture<?>) call.callRealMethod();
			if (here) {
				this.dead = true;
				return answer.thenCompose((reply) -> noAnswer());
			}
			return answer;
		}));
	}

	private boolean isHere(String method, Object[] arguments) {
		return method.equals("run") && ((List<?>) arguments[3]).stream()
			.anyMatch((command) -> ((MessageCommand) command).action().name().equals(this.point.step));
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
