package io.redelay.migration;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.MessageSendException;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.testing.EmbeddedRedis;
import io.redelay.testing.QueueTester;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.ByteArrayCodec;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import org.redisson.config.NameMapper;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link DelayedQueueDrain}, with queues of the real Redisson.
 */
@SpringBootTest
@EmbeddedRedis
class DelayedQueueDrainIntegrationTests {

	private final String name = "old-" + UUID.randomUUID();

	@Autowired
	private RedissonClient redisson;

	@Autowired
	private RedisServer server;

	@Autowired
	private QueueOperations queues;

	@Autowired
	private QueueTester tester;

	@Autowired
	private TestApplication.Handled handled;

	private RBlockingQueue<String> old;

	@SuppressWarnings("deprecation")
	private RDelayedQueue<String> delayed;

	@BeforeEach
	@SuppressWarnings("deprecation")
	void makeOldQueue() {
		this.old = this.redisson.getBlockingQueue(this.name);
		this.delayed = this.redisson.getDelayedQueue(this.old);
	}

	@Test
	void messagesKeepWhatIsLeftOfTheirDelay() {
		Instant before = Instant.now();
		this.delayed.offer("in an hour", 1, TimeUnit.HOURS);
		this.delayed.offer("in a year", 365, TimeUnit.DAYS);
		Instant after = Instant.now();
		assertThat(drain("waiting").drain()).isEqualTo(2);
		List<QueuedMessage> scheduled = this.tester.scheduled("waiting-" + this.name);
		assertThat(scheduled).hasSize(2);
		assertThat(scheduled.get(0).dueAt()).isBetween(before.plusSeconds(3599), after.plusSeconds(3600));
		assertThat(scheduled.get(1).dueAt()).isBetween(before.plus(Duration.ofDays(365)).minusSeconds(1),
				after.plus(Duration.ofDays(365)));
	}

	@Test
	void whatIsDueIsHandledOnceEachAndNothingIsLeft() {
		List<String> values = IntStream.range(0, 1200).mapToObj((i) -> this.name + "/" + (i % 600)).toList();
		this.old.addAll(values);
		this.delayed.offer(this.name + "/late", 1, TimeUnit.MILLISECONDS);
		DelayedQueueDrain<String> drain = drain("handled");
		assertThat(drain.remaining()).isEqualTo(1201);
		assertThat(drain.drain()).isEqualTo(1201);
		assertThat(drain.remaining()).isZero();
		this.tester.awaitDrained("handled");
		List<String> expected = new ArrayList<>(values);
		expected.add(this.name + "/late");
		assertThat(this.handled.of(this.name)).containsExactlyInAnyOrderElementsOf(expected);
		assertThat(this.redisson.getKeys().getKeysStream()).noneMatch((key) -> key.contains(this.name));
	}

	@Test
	void aCrashAfterTheSendLosesNothingAndHandlesNothingTwice() {
		this.old.addAll(values(20));
		this.delayed.offer(this.name + "/20", 1, TimeUnit.HOURS);
		DelayedQueueDrain<String> crashing = new DelayedQueueDrain<>(this.redisson, this.old,
				new Sends((message) -> this.queues.sendAsync(message).thenApply((result) -> {
					throw new MessageSendException("crashed", null);
				})), message("handled"));
		for (int i = 0; i < 3; i++) {
			assertThatIllegalStateException().isThrownBy(crashing::drain).withMessageContaining(this.name);
			this.tester.awaitDrained("handled");
		}
		assertThat(this.old).isEmpty();
		assertThat(crashing.remaining()).isEqualTo(21);
		assertThat(drain("handled").drain()).isEqualTo(21);
		this.tester.advanceTime("handled", Duration.ofHours(1));
		this.tester.awaitDrained("handled");
		assertThat(this.handled.of(this.name)).containsExactlyInAnyOrderElementsOf(values(21));
	}

	@Test
	void aKilledInstanceLosesNothingAndHandlesNothingTwice() throws Exception {
		this.old.addAll(values(700));
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"),
				Killed.class.getName(), this.server.uri().toString(), this.name)
			.inheritIO()
			.start();
		assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
		assertThat(process.exitValue()).isEqualTo(Killed.STATUS);
		DelayedQueueDrain<String> drain = drain("handled");
		assertThat(drain.remaining()).isEqualTo(700);
		assertThat(drain.drain()).isEqualTo(700);
		this.tester.awaitDrained("handled");
		assertThat(this.handled.of(this.name)).containsExactlyInAnyOrderElementsOf(values(700));
	}

	@Test
	void oldAndNewInstancesWorkBesideEachOther() throws Exception {
		Collection<String> received = new ConcurrentLinkedQueue<>();
		AtomicBoolean done = new AtomicBoolean();
		CompletableFuture<Void> receiver = CompletableFuture.runAsync(() -> {
			while (!done.get()) {
				try {
					String value = this.old.poll(50, TimeUnit.MILLISECONDS);
					if (value != null) {
						received.add(value);
					}
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
			}
		});
		List<CompletableFuture<Void>> drains = Collections.nCopies(2, drain("handled"))
			.stream()
			.map((drain) -> CompletableFuture.runAsync(() -> {
				while (!done.get()) {
					drain.drain();
				}
			}))
			.toList();
		List<String> values = values(1000);
		for (int i = 0; i < values.size(); i++) {
			this.delayed.offer(values.get(i), i % 20, TimeUnit.MILLISECONDS);
		}
		await().until(() -> drain("handled").remaining() == 0);
		done.set(true);
		receiver.join();
		drains.forEach(CompletableFuture::join);
		this.tester.awaitDrained("handled");
		List<String> all = new ArrayList<>(this.handled.of(this.name));
		all.addAll(received);
		assertThat(all).containsExactlyInAnyOrderElementsOf(values);
	}

	@Test
	void whatCannotBeReadIsKeptAndHoldsNothingUp() {
		this.old.addAll(values(3));
		this.redisson.<byte[]>getQueue(this.name, ByteArrayCodec.INSTANCE).add(new byte[] { 'x' });
		Set<String> refused = new HashSet<>(Set.of(this.name + "/1"));
		DelayedQueueDrain<String> drain = new DelayedQueueDrain<>(this.redisson, this.old, this.queues, (value) -> {
			if (refused.contains(value)) {
				throw new IllegalArgumentException("no such order");
			}
			return message("handled").apply(value);
		});
		assertThatIllegalStateException().isThrownBy(drain::drain)
			.withMessageStartingWith("2 messages of '" + this.name);
		this.tester.awaitDrained("handled");
		assertThat(this.handled.of(this.name)).containsExactlyInAnyOrder(this.name + "/0", this.name + "/2");
		assertThat(drain.remaining()).isEqualTo(2);
		refused.clear();
		assertThatIllegalStateException().isThrownBy(drain::drain)
			.withMessageStartingWith("1 messages of '" + this.name);
		this.tester.awaitDrained("handled");
		assertThat(this.handled.of(this.name)).containsExactlyInAnyOrderElementsOf(values(3));
	}

	@Test
	void elementsOfOldAndNewRedissonAreMoved() throws IOException {
		for (int i = 0; i < 150; i++) {
			offerPacked(this.name + "/" + i, "");
			this.delayed.offer(this.name + "/" + (150 + i), 1, TimeUnit.HOURS);
		}
		DelayedQueueDrain<String> drain = drain("handled");
		assertThat(drain.drain()).isEqualTo(300);
		assertThat(drain.remaining()).isZero();
		this.tester.advanceTime("handled", Duration.ofHours(1));
		this.tester.awaitDrained("handled");
		assertThat(this.handled.of(this.name)).containsExactlyInAnyOrderElementsOf(values(300));
		assertThat(this.redisson.getKeys().getKeysStream()).noneMatch((key) -> key.contains(this.name));
	}

	@Test
	void anEmptyValueIsEmpty() {
		byte[] packed = new byte[17];
		packed[0] = 8;
		packed[8] = 1;
		this.redisson.<byte[]>getQueue(keys().get(0).toString(), ByteArrayCodec.INSTANCE).add(packed);
		this.redisson.<byte[]>getScoredSortedSet(keys().get(1).toString(), ByteArrayCodec.INSTANCE).add(1, packed);
		List<String> values = new ArrayList<>();
		new DelayedQueueDrain<>(this.redisson, this.redisson.<String>getQueue(this.name, StringCodec.INSTANCE),
				this.queues, (value) -> {
					values.add(value);
					return message("waiting").apply(value);
				})
			.drain();
		assertThat(values).containsExactly("");
	}

	@Test
	void anElementThatIsDamagedStaysAndHoldsNothingUp() throws IOException {
		for (int i = 0; i < 250; i++) {
			offerPacked(this.name + "/" + i, "");
			offerPacked("damaged", "x");
		}
		this.old.add(this.name + "/250");
		DelayedQueueDrain<String> drain = drain("handled");
		for (int i = 0; i < 2; i++) {
			assertThatIllegalStateException().isThrownBy(drain::drain)
				.withMessage("250 elements of 'redisson_delay_queue' of '" + this.name
						+ "' are packed as no Redisson packs them. They are left there");
			assertThat(drain.remaining()).isEqualTo(250);
			assertThat(this.redisson.getList(keys().get(0).toString()).size()).isEqualTo(250);
		}
		this.tester.advanceTime("handled", Duration.ofHours(1));
		this.tester.awaitDrained("handled");
		assertThat(this.handled.of(this.name)).containsExactlyInAnyOrderElementsOf(values(251));
	}

	@Test
	void anEntryThatIsDamagedHoldsNothingUp() {
		this.redisson.<byte[]>getScoredSortedSet("redelay:migration:{" + this.name + "}", ByteArrayCodec.INSTANCE)
			.add(1, new byte[] { 'x' });
		this.old.addAll(values(3));
		DelayedQueueDrain<String> drain = drain("handled");
		assertThatIllegalStateException().isThrownBy(drain::drain)
			.withMessageStartingWith("1 messages of '" + this.name)
			.withMessageEndingWith("packed as no Redisson packs it");
		assertThat(drain.remaining()).isOne();
		this.tester.awaitDrained("handled");
		assertThat(this.handled.of(this.name)).containsExactlyInAnyOrderElementsOf(values(3));
	}

	@Test
	void whatFailedIsCountedOnceAndPassesNothingOver() {
		Set<String> refused = Set.of(this.name + "/0", this.name + "/1");
		DelayedQueueDrain<String> drain = new DelayedQueueDrain<>(this.redisson, this.old, this.queues, (value) -> {
			if (refused.contains(value)) {
				throw new IllegalArgumentException("no such order");
			}
			return message("handled").apply(value);
		});
		refused.forEach((value) -> this.delayed.offer(value, 1, TimeUnit.HOURS));
		assertThatIllegalStateException().isThrownBy(drain::drain).withMessageStartingWith("2 messages of");
		List<String> values = values(352);
		this.old.addAll(values.subList(2, values.size()));
		assertThatIllegalStateException().isThrownBy(drain::drain).withMessageStartingWith("2 messages of");
		assertThat(drain.remaining()).isEqualTo(2);
		this.tester.awaitDrained("handled");
		assertThat(this.handled.of(this.name)).containsExactlyInAnyOrderElementsOf(values.subList(2, values.size()));
	}

	@Test
	void moreThanAScriptCanUnpackMayFail() {
		List<String> values = values(9000);
		this.old.addAll(values);
		DelayedQueueDrain<String> drain = new DelayedQueueDrain<>(this.redisson, this.old, this.queues, (value) -> {
			throw new IllegalArgumentException("no such order");
		});
		for (int i = 0; i < 2; i++) {
			assertThatIllegalStateException().isThrownBy(drain::drain).withMessageStartingWith("9000 messages of");
			assertThat(drain.remaining()).isEqualTo(9000);
		}
	}

	@Test
	void whileSendsFailTheOldQueueKeepsItsMessages() {
		this.old.addAll(values(2000));
		DelayedQueueDrain<String> failing = new DelayedQueueDrain<>(this.redisson, this.old,
				new Sends((message) -> CompletableFuture.failedFuture(new MessageSendException("refused", null))),
				message("handled"));
		for (int i = 0; i < 3; i++) {
			assertThatIllegalStateException().isThrownBy(failing::drain)
				.withMessageStartingWith("100 messages of '" + this.name)
				.withCauseInstanceOf(MessageSendException.class);
		}
		assertThat(this.old).hasSize(1900);
	}

	@Test
	void aNameWithAHashTagIsThatOfItsKeys() {
		RBlockingQueue<String> tagged = this.redisson.getBlockingQueue("{" + this.name + "}:old", StringCodec.INSTANCE);
		@SuppressWarnings("deprecation")
		RDelayedQueue<String> delays = this.redisson.getDelayedQueue(tagged);
		delays.offer(this.name + "/0", 1, TimeUnit.HOURS);
		DelayedQueueDrain<String> drain = new DelayedQueueDrain<>(this.redisson, tagged, this.queues,
				message("handled"));
		assertThat(drain.drain()).isOne();
		assertThat(delays).isEmpty();
		this.tester.advanceTime("handled", Duration.ofHours(1));
		this.tester.awaitDrained("handled");
		assertThat(this.handled.of(this.name)).containsExactly(this.name + "/0");
	}

	@Test
	void aClientMayMapNames() {
		Config config = new Config().setNameMapper(new NameMapper() {

			@Override
			public String map(String name) {
				return "mapped:" + name;
			}

			@Override
			public String unmap(String name) {
				return name.substring("mapped:".length());
			}

		});
		config.useSingleServer().setAddress(this.server.uri().toString());
		RedissonClient mapping = Redisson.create(config);
		try {
			RBlockingQueue<String> mapped = mapping.getBlockingQueue(this.name);
			@SuppressWarnings("deprecation")
			RDelayedQueue<String> delays = mapping.getDelayedQueue(mapped);
			delays.offer(this.name + "/0", 1, TimeUnit.HOURS);
			mapped.add(this.name + "/1");
			DelayedQueueDrain<String> drain = new DelayedQueueDrain<>(mapping, mapped, this.queues, message("handled"));
			assertThat(drain.drain()).isEqualTo(2);
		}
		finally {
			mapping.shutdown();
		}
		this.tester.advanceTime("handled", Duration.ofHours(1));
		this.tester.awaitDrained("handled");
		assertThat(this.handled.of(this.name)).containsExactlyInAnyOrder(this.name + "/0", this.name + "/1");
	}

	@Test
	void theExampleOfTheGuideMovesOrders() {
		new RedissonOrders(this.redisson).start("old");
		new OldOrders(this.redisson, this.queues).move();
		new RedelayOrders(this.queues).start("new");
		assertThat(this.tester.scheduled("payment-timeout")).extracting(QueuedMessage::payloadAsText)
			.containsExactly("{\"orderId\":\"old\"}", "{\"orderId\":\"new\"}");
	}

	/**
	 * Offers a value as Redisson 3.21.0 does.
	 * @param rest what does not belong to it
	 */
	private void offerPacked(String value, String rest) throws IOException {
		ByteBuf encoded = this.redisson.getConfig().getCodec().getValueEncoder().encode(value);
		this.redisson.getScript(ByteArrayCodec.INSTANCE)
			.<Long>eval(RScript.Mode.READ_WRITE, """
					local value = struct.pack('dLc0', tonumber(ARGV[1]), #ARGV[2], ARGV[2]) .. ARGV[3]
					redis.call('zadd', KEYS[2], ARGV[4], value)
					return redis.call('rpush', KEYS[1], value)
					""", RScript.ReturnType.LONG, keys(), bytes(ThreadLocalRandom.current().nextLong()),
					ByteBufUtil.getBytes(encoded), rest.getBytes(StandardCharsets.UTF_8),
					bytes(Instant.now().plusSeconds(3600).toEpochMilli()));
		encoded.release();
	}

	private static byte[] bytes(Number number) {
		return number.toString().getBytes(StandardCharsets.US_ASCII);
	}

	private List<Object> keys() {
		return List.of("redisson_delay_queue:{" + this.name + "}", "redisson_delay_queue_timeout:{" + this.name + "}");
	}

	private DelayedQueueDrain<String> drain(String queue) {
		return new DelayedQueueDrain<>(this.redisson, this.old, this.queues, message(queue));
	}

	private Function<String, OutboundMessage> message(String queue) {
		String name = "waiting".equals(queue) ? queue + "-" + this.name : queue;
		return (value) -> OutboundMessage.to(name, value);
	}

	private List<String> values(int count) {
		return IntStream.range(0, count).mapToObj((i) -> this.name + "/" + i).toList();
	}

	/**
	 * An instance that is killed when the messages of a batch are sent, and before they
	 * are removed from where they came from.
	 */
	static class Killed {

		static final int STATUS = 77;

		public static void main(String[] args) {
			ConfigurableApplicationContext context = new SpringApplicationBuilder(Instance.class)
				.properties("spring.data.redis.url=" + args[0])
				.run();
			RedissonClient redisson = context.getBean(RedissonClient.class);
			QueueOperations queues = context.getBean(QueueOperations.class);
			AtomicInteger sent = new AtomicInteger();
			new DelayedQueueDrain<>(redisson, redisson.<String>getQueue(args[1]),
					new Sends((message) -> queues.sendAsync(message).whenComplete((result, failure) -> {
						if (sent.incrementAndGet() == 100) {
							Runtime.getRuntime().halt(STATUS);
						}
					})), (value) -> OutboundMessage.to("handled", value))
				.drain();
		}

	}

	@EnableAutoConfiguration
	static class Instance {

	}

}
