package io.redelay.queue.fault;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.redelay.queue.MessageSendException;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.claim.QueueListenerContainer;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import io.redelay.queue.idempotency.RunOnceScript;
import io.redelay.queue.listener.DuplicateListener;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.wire.TestScripts;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.queue.work.Idempotency;
import io.redelay.scheduling.QueueThreads;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Instances that die while they handle messages with an idempotency key, and a Redis that
 * is full or away.
 */
class IdempotencyFaultIntegrationTests extends FaultTests {

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void whatAKilledInstanceRanIsRunByAnotherAndSucceedsOnce() {
		InstanceProcess victim = process(Keyed.class, "test.instance=victim", "test.handling=3600000");
		ConfigurableApplicationContext survivor = instance(Keyed.class, "test.handling=0", "test.listening=false");
		RedissonClient redisson = redisson(survivor);
		List<String> keys = IntStream.range(0, Keyed.CONCURRENCY).mapToObj((i) -> "k" + i).toList();
		send(survivor, keys);
		Awaitility.await().until(() -> Journal.read(redisson, this.queue, "begin").size() == keys.size());
		start(survivor);
		send(survivor, keys);
		send(survivor, keys);
		Awaitility.await().until(() -> Journal.read(redisson, this.queue, "postponed").size() >= keys.size());
		assertThat(Journal.read(redisson, this.queue, "done")).as("the victim runs all keys").isEmpty();
		victim.kill();
		awaitDrained(redisson);
		assertThat(Journal.payloads(redisson, this.queue, "done")).containsExactlyInAnyOrderElementsOf(keys);
		assertThat(redisson.getScoredSortedSet(key("dead")).size()).isZero();
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void whatWasRecordedBeforeTheDeathIsNotRunAgain() {
		ConfigurableApplicationContext survivor = instance(Keyed.class, "test.handling=0", "test.listening=false");
		RedissonClient redisson = redisson(survivor);
		InstanceProcess victim = process(Keyed.class, "test.instance=victim", "test.handling=0", "test.dies=true");
		send(survivor, List.of("one"));
		Awaitility.await().until(() -> !victim.isAlive());
		assertThat(Journal.payloads(redisson, this.queue, "done")).containsExactly("one");
		assertThat(redisson.getMap(key("messages"), StringCodec.INSTANCE).size()).as("not acknowledged").isOne();
		start(survivor);
		awaitDrained(redisson);
		assertThat(Journal.read(redisson, this.queue, "begin")).hasSize(1);
		assertThat(Journal.read(redisson, this.queue, "duplicate")).as("came again").hasSize(1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void amongInstancesThatAreKilledEachKeySucceedsOnce() {
		ConfigurableApplicationContext survivor = instance(Keyed.class, "test.handling=20",
				"redelay.queue.listener.max-attempts=100");
		RedissonClient redisson = redisson(survivor);
		List<String> keys = IntStream.range(0, 60).mapToObj((i) -> "k" + i).toList();
		for (int round = 1; round <= 2; round++) {
			String name = "victim" + round;
			InstanceProcess victim = process(Keyed.class, "test.instance=" + name, "test.handling=50",
					"redelay.queue.listener.max-attempts=100");
			for (int i = 0; i < 3; i++) {
				send(survivor, keys.subList(30 * (round - 1), 30 * round));
			}
			Awaitility.await()
				.until(() -> !victim.isAlive()
						|| Journal.read(redisson, this.queue, "begin").stream().anyMatch((line) -> line.endsWith(name))
						|| drained(redisson));
			victim.kill();
		}
		awaitDrained(redisson);
		// A victim may have died between the end of its handler and the record of it:
		// that is the gap which the guide names.
		List<String> successes = Journal.payloads(redisson, this.queue, "done");
		assertThat(successes).containsAll(keys);
		assertThat(Journal.read(redisson, this.queue, "done").stream().filter((line) -> line.endsWith(" here")))
			.as("none twice by one that lives")
			.doesNotHaveDuplicates();
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void anActionOfAKilledInstanceIsTakenOverByOneOfThoseThatWait() {
		InstanceProcess victim = process(ActingOnce.class, "test.instance=victim", "test.handling=3600000");
		ConfigurableApplicationContext one = instance(ActingOnce.class, "test.handling=0", "test.listening=false");
		ConfigurableApplicationContext other = instance(ActingOnce.class, "test.handling=0", "test.listening=false");
		RedissonClient redisson = redisson(one);
		send(one, List.of("key"));
		Awaitility.await().until(() -> Journal.read(redisson, this.queue, "begin").size() == 1);
		List<CompletableFuture<Boolean>> waiting = Stream.of(one, other)
			.map((context) -> CompletableFuture.supplyAsync(() -> context.getBean(ActingOnce.class).act("key"),
					(task) -> new Thread(task).start()))
			.toList();
		assertThat(one.getBean(Idempotency.class).tryOnce("key", Duration.ofDays(1), () -> {
		})).isEqualTo(Idempotency.Outcome.RUNS_ELSEWHERE);
		victim.kill();
		assertThat(waiting).map(CompletableFuture::join).containsExactlyInAnyOrder(true, false);
		assertThat(Journal.payloads(redisson, this.queue, "done")).containsExactly("key");
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aRedisThatIsFullRecordsNevertheless() {
		ConfigurableApplicationContext instance = instance(Counting.class, "test.listening=false");
		send(instance, List.of("one", "one", "two"));
		this.redis.command("CONFIG", "SET", "maxmemory", "1");
		assertThatExceptionOfType(MessageSendException.class).isThrownBy(() -> send(instance, List.of("more")));
		start(instance);
		awaitDrained(redisson(instance));
		assertThat(instance.getBean(Counting.class).handled).containsExactlyInAnyOrder("one", "two");
		assertThat(redisson(instance).getScoredSortedSet(key("idempotent"), StringCodec.INSTANCE).size()).isEqualTo(2);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatSucceededWhileRedisRefusedToRecordItIsAcknowledgedLaterAndNotRunAgain() {
		ConfigurableApplicationContext instance = instance(Counting.class, "test.broken=true");
		send(instance, List.of("one"));
		Counting counting = instance.getBean(Counting.class);
		Awaitility.await().until(() -> counting.handled.size() == 1);
		send(instance, List.of("one"));
		Awaitility.await().until(() -> counting.refused.get() > 1);
		assertThat(redisson(instance).getMap(key("messages"), StringCodec.INSTANCE).size()).as("not acknowledged")
			.isEqualTo(2);
		counting.broken = false;
		awaitDrained(redisson(instance));
		assertThat(counting.handled).containsExactly("one");
	}

	private void send(ConfigurableApplicationContext context, List<String> keys) {
		queue(context).sendAll(keys.stream().map((key) -> OutboundMessage.to(this.queue, key)).toList());
	}

	private static void start(ConfigurableApplicationContext context) {
		context.getBean(QueueListenerEndpointRegistry.class).getContainers().forEach(QueueListenerContainer::start);
	}

	private boolean drained(RedissonClient redisson) {
		return redisson.getMap(key("messages"), StringCodec.INSTANCE).size() == 0;
	}

	private void awaitDrained(RedissonClient redisson) {
		Awaitility.await().until(() -> drained(redisson));
	}

	private String key(String name) {
		return "redelay:{" + this.queue + "}:" + name;
	}

	/**
	 * Writes down what it handles, and dies when its first success is recorded if it is
	 * asked to.
	 */
	@Import(Journal.class)
	static class Keyed implements DuplicateListener {

		static final int CONCURRENCY = 4;

		private final Journal journal;

		private final long handling;

		Keyed(Journal journal, @Value("${test.handling}") long handling) {
			this.journal = journal;
			this.handling = handling;
		}

		@QueueListener(queues = "${test.queue}", idempotencyKey = "#{payload}", concurrency = "" + CONCURRENCY,
				autoStartup = "${test.listening:true}")
		void handle(String key) throws InterruptedException {
			this.journal.write("begin", key);
			TimeUnit.MILLISECONDS.sleep(this.handling);
			this.journal.write("done", key);
		}

		@Override
		public void onDuplicate(DeliveryInfo delivery) {
			this.journal.write("duplicate", delivery.id());
		}

		@Override
		public void onPostponed(DeliveryInfo delivery, Duration delay) {
			this.journal.write("postponed", delivery.id());
		}

		@Bean
		static QueueScripts dyingScripts(@Value("${test.dies:false}") boolean dies, RedissonClient redisson,
				QueueThreads threads) {
			return scripts(redisson, threads, (script, keys, args, redis) -> (records(script, args) && dies)
					? redis.get().thenRun(() -> Runtime.getRuntime().halt(1)) : redis.get());
		}

	}

	/**
	 * Writes down what it does once, on a message or when it is called.
	 */
	@Import(Journal.class)
	static class ActingOnce {

		private final Journal journal;

		private final Idempotency idempotency;

		private final long handling;

		ActingOnce(Journal journal, Idempotency idempotency, @Value("${test.handling}") long handling) {
			this.journal = journal;
			this.idempotency = idempotency;
			this.handling = handling;
		}

		@QueueListener(queues = "${test.queue}", autoStartup = "${test.listening:true}")
		boolean act(String key) {
			return this.idempotency.once(key, Duration.ofDays(1), () -> {
				this.journal.write("begin", key);
				LockSupport.parkNanos(Duration.ofMillis(this.handling).toNanos());
				this.journal.write("done", key);
			});
		}

	}

	/**
	 * Counts what it handles, with a store that may refuse to record a success.
	 */
	static class Counting {

		private final List<String> handled = new CopyOnWriteArrayList<>();

		private final AtomicInteger refused = new AtomicInteger();

		private volatile boolean broken;

		Counting(@Value("${test.broken:false}") boolean broken) {
			this.broken = broken;
		}

		@QueueListener(queues = "${test.queue}", idempotencyKey = "#{payload}", concurrency = "2",
				autoStartup = "${test.listening:true}")
		void handle(String key) {
			this.handled.add(key);
		}

		@Bean
		static QueueScripts refusingScripts(ObjectProvider<Counting> counting, RedissonClient redisson,
				QueueThreads threads) {
			return scripts(redisson, threads, (script, keys, args, redis) -> {
				if (records(script, args) && counting.getObject().broken) {
					counting.getObject().refused.incrementAndGet();
					return CompletableFuture.failedFuture(new StoreException("refused", null));
				}
				return redis.get();
			});
		}

	}

	private static QueueScripts scripts(RedissonClient redisson, QueueThreads threads, TestScripts.Fault fault) {
		return TestScripts.create(redisson, "redelay", Duration.ofSeconds(30), threads.timer(), ReplayMemory.NONE,
				fault);
	}

	/**
	 * Whether a success is to be recorded.
	 */
	private static boolean records(String script, Object[] args) {
		return script.equals("run-once") && List.of(args).contains(RunOnceScript.Step.Action.DONE.verb());
	}

}
