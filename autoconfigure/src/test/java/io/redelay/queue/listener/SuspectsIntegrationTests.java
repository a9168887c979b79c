package io.redelay.queue.listener;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.wire.TestScripts;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a message that kills its instance takes none of other queues with it. An
 * instance dies here by losing its store: nothing that it does reaches Redis any more.
 */
class SuspectsIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final List<String> INNOCENT = List.of("b", "c", "d");

	private static final int MOST_DEATHS = 8;

	private final String queue = TestRedis.queue();

	private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private final Set<String> done = ConcurrentHashMap.newKeySet();

	@AfterEach
	void close() {
		this.timer.shutdownNow();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aPoisonOfOneQueueBuriesNoMessageOfOthers() {
		send();
		assertThat(deaths(2)).as("once as one of many, twice as a suspect").isEqualTo(3);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void norWhereOneDeathIsEnough() {
		send();
		assertThat(deaths(1)).as("once as one of many, once as a suspect").isEqualTo(2);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@Execution(ExecutionMode.CONCURRENT)
	void whatWasAloneWhenItsInstanceDiedIsHandledInSpiteOfARate(boolean ofKeys) {
		try (ListenerApplication sender = ListenerApplication.on(redis).start()) {
			sender.queues().send(OutboundMessage.to(this.queue, "a").fairnessKey("k"));
		}
		for (int deaths = 0; this.done.isEmpty(); deaths++) {
			MortalStore store = new MortalStore();
			boolean kills = deaths < 2;
			Object listener = ofKeys ? new KeyRated(store, kills) : new Rated(store, kills);
			try (ListenerApplication application = application(store, listener).start()) {
				Awaitility.await().until(() -> store.isDead() || !this.done.isEmpty());
				assertThat(application.registry().getContainers()).hasSize(1);
			}
		}
		assertThat(this.done).containsExactly("a");
	}

	private ListenerApplication.Builder application(MortalStore store, Object listeners) {
		return ListenerApplication.on(redis)
			.bean("store", store.scripts())
			.bean(listeners)
			.with("q", this.queue)
			.with("redelay.queue.listener.lease-time", "2s")
			.with("redelay.queue.safety-poll-interval", "200ms")
			.with("spring.lifecycle.timeout-per-shutdown-phase", "200ms");
	}

	private void send() {
		try (ListenerApplication sender = ListenerApplication.on(redis).start()) {
			for (String each : List.of("a", "b", "c", "d")) {
				sender.queues().send(this.queue + "-" + each, each);
			}
		}
	}

	/**
	 * Starts one instance after the other, until what kills them is dead and all others
	 * are handled.
	 */
	private int deaths(int maxAttempts) {
		int deaths = 0;
		boolean over = false;
		while (!over) {
			MortalStore store = new MortalStore();
			Listeners listeners = new Listeners(store);
			try (ListenerApplication application = application(store, listeners)
				.with("redelay.queue.listener.max-attempts", maxAttempts)
				.start()) {
				Awaitility.await()
					.until(() -> store.isDead() || (dead("a") == 1
							&& this.done.size() + INNOCENT.stream().mapToInt(this::dead).sum() == INNOCENT.size()));
				assertThat(application.registry().getContainers()).hasSize(1 + INNOCENT.size());
				over = !store.isDead();
				deaths += over ? 0 : 1;
			}
			assertThat(deaths).as("deaths of instances").isLessThan(MOST_DEATHS);
			for (String each : INNOCENT) {
				assertThat(dead(each)).as("dead of '%s' after %d deaths", each, deaths).isZero();
			}
		}
		return deaths;
	}

	private int dead(String queue) {
		return QueueState.of(redis, this.queue + "-" + queue).dead().size();
	}

	/**
	 * Kill their instance at the first message of queue "a", when those of the others are
	 * being handled.
	 */
	class Listeners {

		private final MortalStore store;

		private final CountDownLatch never = new CountDownLatch(1);

		Listeners(MortalStore store) {
			this.store = store;
		}

		@QueueListener("${q}-a")
		void a(String payload) throws InterruptedException {
			pause();
			this.store.die();
		}

		@QueueListener("${q}-b")
		void b(String payload) throws InterruptedException {
			handle(payload);
		}

		@QueueListener("${q}-c")
		void c(String payload) throws InterruptedException {
			handle(payload);
		}

		@QueueListener("${q}-d")
		void d(String payload) throws InterruptedException {
			handle(payload);
		}

		private void handle(String payload) throws InterruptedException {
			for (int i = 0; i < 2; i++) {
				pause();
			}
			if (!this.store.isDead()) {
				SuspectsIntegrationTests.this.done.add(payload);
			}
		}

		private void pause() throws InterruptedException {
			assertThat(this.never.await(200, TimeUnit.MILLISECONDS)).isFalse();
		}

	}

	/**
	 * Kills its instance, or handles the message.
	 */
	private abstract class Killing {

		private final MortalStore store;

		private final boolean kills;

		Killing(MortalStore store, boolean kills) {
			this.store = store;
			this.kills = kills;
		}

		void handle(String payload) {
			if (this.kills) {
				this.store.die();
			}
			else {
				SuspectsIntegrationTests.this.done.add(payload);
			}
		}

	}

	class Rated extends Killing {

		Rated(MortalStore store, boolean kills) {
			super(store, kills);
		}

		@QueueListener(queues = "${q}", rateLimit = "2/1s")
		void rated(String payload) {
			handle(payload);
		}

	}

	class KeyRated extends Killing {

		KeyRated(MortalStore store, boolean kills) {
			super(store, kills);
		}

		@QueueListener(queues = "${q}", keyRateLimit = "1/1s")
		void rated(String payload) {
			handle(payload);
		}

	}

	/**
	 * The store of an instance that can die.
	 */
	private final class MortalStore {

		private volatile boolean dead;

		void die() {
			this.dead = true;
		}

		boolean isDead() {
			return this.dead;
		}

		QueueScripts scripts() {
			return TestScripts.create(redis.client(), "redelay", Duration.ofSeconds(5),
					SuspectsIntegrationTests.this.timer, ReplayMemory.NONE,
					(script, keys, args, redis) -> this.dead
							? CompletableFuture.failedFuture(new StoreException("the instance is dead", null))
							: redis.get());
		}

	}

}
