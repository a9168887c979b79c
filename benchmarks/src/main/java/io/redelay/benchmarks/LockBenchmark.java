package io.redelay.benchmarks;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.redelay.autoconfigure.LockAutoConfiguration;
import io.redelay.autoconfigure.RedissonAutoConfiguration;
import io.redelay.lock.LockHandle;
import io.redelay.lock.LockProvider;
import io.redelay.lock.MyLock;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.ThreadParams;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * How long a method with {@link MyLock @MyLock} takes that does nothing, and how long
 * Redisson takes to lock and unlock. Each thread has a lock of its own.
 *
 * @since 0.1.0
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class LockBenchmark {

	private static final int CALLS = 1000;

	private static final long TURN = TimeUnit.MILLISECONDS.toNanos(20);

	/**
	 * Where Redis is.
	 */
	@Param("redis://127.0.0.1:6379")
	String redis = "";

	private @Nullable ConfigurableApplicationContext context;

	/**
	 * Starts an application.
	 */
	@Setup
	public void setUp() {
		this.context = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("spring.data.redis.url=" + this.redis, "spring.main.banner-mode=off", "logging.level.root=warn")
			.run();
	}

	/**
	 * Ends the application.
	 */
	@TearDown
	public void tearDown() {
		if (this.context != null) {
			this.context.close();
		}
	}

	private <T> T bean(Class<T> type) {
		if (this.context == null) {
			throw new IllegalStateException("The application has not been started");
		}
		return this.context.getBean(type);
	}

	/**
	 * Locks and unlocks by hand, or calls a method with the annotation. All threads do
	 * one of them for a while and then the other, so that both meet the same load.
	 * @param caller the thread
	 * @param turns what it took
	 * @return what the method returns
	 */
	@Benchmark
	public String inTurns(Caller caller, Turns turns) {
		long start = System.nanoTime();
		String result;
		if ((start / TURN) % 2 == 0) {
			result = lockAndUnlock(caller);
			turns.rawCalls++;
			turns.rawNanos += System.nanoTime() - start;
		}
		else {
			result = caller.guarded().run(caller.name);
			turns.annotatedCalls++;
			turns.annotatedNanos += System.nanoTime() - start;
		}
		return result;
	}

	private static String lockAndUnlock(Caller caller) {
		RLock lock = caller.raw();
		lock.lock();
		try {
			return caller.name;
		}
		finally {
			lock.unlock();
		}
	}

	/**
	 * Calls a method with the annotation whose lock costs nothing.
	 * @param caller the thread
	 * @return what the method returns
	 */
	@Benchmark
	public String annotatedWithoutRedis(Caller caller) {
		return caller.guarded().runWithoutRedis(caller.name);
	}

	/**
	 * Calls a method with the annotation whose lock is held already.
	 * @param caller the thread
	 * @return what the method returns
	 */
	@Benchmark
	@OperationsPerInvocation(CALLS)
	public String reentered(Caller caller) {
		return caller.guarded().runAgain(caller.name, caller.guarded());
	}

	/**
	 * How many calls each of the two was given, and how long they took.
	 */
	@State(Scope.Thread)
	@AuxCounters(AuxCounters.Type.EVENTS)
	public static class Turns {

		/** Locks taken by hand. */
		public long rawCalls;

		/** The time that they took. */
		public long rawNanos;

		/** Calls of the method with the annotation. */
		public long annotatedCalls;

		/** The time that they took. */
		public long annotatedNanos;

	}

	/**
	 * A thread, and what it uses.
	 */
	@State(Scope.Thread)
	public static class Caller {

		private String name = "";

		private @Nullable RLock lock;

		private @Nullable Guarded guarded;

		/**
		 * Looks up what it uses.
		 * @param benchmark the application
		 * @param threads which thread it is
		 */
		@Setup
		public void setUp(LockBenchmark benchmark, ThreadParams threads) {
			this.name = "caller-" + threads.getThreadIndex();
			this.lock = benchmark.bean(RedissonClient.class).getLock("redelay:lock:{" + this.name + "}");
			this.guarded = benchmark.bean(Guarded.class);
		}

		private RLock raw() {
			if (this.lock == null) {
				throw new IllegalStateException("There is no lock yet");
			}
			return this.lock;
		}

		private Guarded guarded() {
			if (this.guarded == null) {
				throw new IllegalStateException("There is no bean yet");
			}
			return this.guarded;
		}

	}

	/**
	 * A bean whose methods do nothing.
	 */
	public static class Guarded {

		/**
		 * Does nothing under a lock.
		 * @param id the lock's name
		 * @return the same
		 */
		@MyLock("#{id}")
		public String run(String id) {
			return id;
		}

		/**
		 * Does nothing under a lock that costs nothing.
		 * @param id the lock's name
		 * @return the same
		 */
		@MyLock(name = "#{id}", lockProvider = "withoutRedis")
		public String runWithoutRedis(String id) {
			return id;
		}

		/**
		 * Calls the first method many times under the same lock.
		 * @param id the lock's name
		 * @param self the bean with its proxy
		 * @return the same
		 */
		@MyLock("#{id}")
		public String runAgain(String id, Guarded self) {
			String result = id;
			for (int i = 0; i < CALLS; i++) {
				result = self.run(result);
			}
			return result;
		}

	}

	/**
	 * The application.
	 */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, RedissonAutoConfiguration.class,
			LockAutoConfiguration.class })
	static class Application {

		@Bean
		Guarded guarded() {
			return new Guarded();
		}

		@Bean
		LockProvider withoutRedis() {
			LockHandle handle = () -> CompletableFuture.completedFuture(true);
			return (request) -> CompletableFuture.completedFuture(handle);
		}

	}

}
