package io.redelay.queue.script;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.redelay.queue.Deduplication;
import io.redelay.queue.MessageState;
import io.redelay.queue.bundle.BundleResult;
import io.redelay.queue.bundle.BundleResults;
import io.redelay.queue.bundle.BundleSummary;
import io.redelay.queue.bundle.engine.BundleCancellation;
import io.redelay.queue.bundle.engine.BundleEnds;
import io.redelay.queue.message.BundleMembership;
import io.redelay.queue.message.Completion;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.HandledMember;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.NextMessage;
import io.redelay.queue.message.OutboxNote;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.message.StoredMessage;
import io.redelay.queue.message.Uids;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.BundleCommand;
import io.redelay.queue.script.admin.BundleScript;
import io.redelay.queue.script.admin.BundleScripts;
import io.redelay.queue.script.admin.CommandBatcher;
import io.redelay.queue.script.admin.PurgeScript;
import io.redelay.queue.wire.RedisAvailability;
import io.redelay.queue.wire.TestScripts;
import io.redelay.test.TestRedis;
import io.redelay.test.extent.Extent;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.redisson.api.RScript;
import org.redisson.client.codec.ByteArrayCodec;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Random bundles over several queues, whose messages end in all ways, with notes that are
 * relayed late, twice or in parts, requests that come twice, and consumers that die: each
 * bundle has one callback, whose counts are what happened.
 */
class BundleModelIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private static final int LONGEST_RESULT = 60;

	private static QueueScripts store;

	private static AdminScripts admin;

	@BeforeAll
	static void connect() {
		store = TestScripts.create(redis.client(), "redelay", Duration.ofSeconds(10), timer, ReplayMemory.NONE);
		admin = new AdminScripts(redis.client(), "redelay", Duration.ofSeconds(10), timer, ReplayMemory.NONE,
				new RedisAvailability(timer));
	}

	@AfterAll
	static void shutDown() {
		timer.shutdownNow();
	}

	@ParameterizedTest
	@MethodSource("seeds")
	void eachBundleHasOneCallbackThatReportsWhatHappened(long seed) {
		System.out.printf("Seed %d: repeat with -Dredelay.test.seed=%d -Dredelay.test.seeds=1%n", seed, seed);
		new Run(seed).run(250);
	}

	static Stream<Long> seeds() {
		long first = Long.getLong("redelay.test.seed", System.nanoTime());
		return LongStream.range(first, first + Integer.getInteger("redelay.test.seeds", Extent.of(1, 3))).boxed();
	}

	private static final class Run {

		private final Random random;

		private final long seed;

		private final Uids uids = new Uids();

		private final String callbackQueue = TestRedis.queue();

		private final List<Place> places = new ArrayList<>();

		private final BundleScripts bundles = admin.bundles();

		private final String lane;

		private long seq;

		private final Map<String, Expected> open = new LinkedHashMap<>();

		private final Map<String, Expected> all = new TreeMap<>();

		/**
		 * The bundle of each message, by the uid under which it was sent.
		 */
		private final Map<String, Expected> bundleOf = new HashMap<>();

		private final Map<String, BundleSummary> callbacks = new HashMap<>();

		private final Map<String, Integer> firstDeaths = new HashMap<>();

		private final BundleEnds ends = new BundleEnds(this.bundles, JsonMapper.shared(), (queue) -> {
		});

		private final BundleCancellation cancellation = new BundleCancellation(admin);

		Run(long seed) {
			this.seed = seed;
			this.random = new Random(seed);
			for (String queue : List.of(this.callbackQueue, TestRedis.queue(), TestRedis.queue())) {
				this.places.add(new Place(queue));
			}
			this.lane = TestQueue.get(this.bundles.bundle().open(this.callbackQueue));
		}

		void run(int steps) {
			try {
				for (int i = 0; i < steps; i++) {
					step();
				}
				drain();
				check();
			}
			catch (RuntimeException | AssertionError ex) {
				throw new AssertionError("Run with -Dredelay.test.seed=" + this.seed, ex);
			}
		}

		private void step() {
			Place place = this.places.get(this.random.nextInt(this.places.size()));
			switch (this.random.nextInt(13)) {
				case 0 -> open();
				case 1, 2, 3 -> add();
				case 4 -> close();
				case 5, 6 -> relay(place, 1 + this.random.nextInt(6));
				case 7, 8, 9 -> consume(place);
				case 10 -> administer(place);
				case 11 -> cancelRest();
				default -> place.restart(this.random.nextBoolean());
			}
		}

		private Expected pick() {
			List<Expected> some = this.all.values().stream().filter((each) -> !each.over).toList();
			return some.isEmpty() ? null : some.get(this.random.nextInt(some.size()));
		}

		private void open() {
			Expected bundle = new Expected("b" + this.all.size());
			bundle.room = (this.random.nextInt(2) == 0) ? 1 + this.random.nextInt(600) : 0;
			bundle.cancelsRest = this.random.nextInt(3) == 0;
			bundle.tellsFirstDeath = this.random.nextInt(2) == 0;
			this.all.put(bundle.id, bundle);
			this.open.put(bundle.id, bundle);
			byte[] envelope = new EnvelopeCodec().writeBeginning(Map.of("bundle", bundle.id));
			command(BundleCommand.open(bundle.id, Duration.ofHours(1), this.uids.next(), envelope,
					new BundleCommand.Wants(bundle.cancelsRest, (bundle.room > 0) ? LONGEST_RESULT : 0, bundle.room,
							bundle.tellsFirstDeath ? firstDeath(bundle) : null)));
		}

		private byte[] firstDeath(Expected bundle) {
			NewMessage message = new NewMessage(this.uids.next(), null, null, null,
					envelope(Map.of("first", bundle.id), "-"));
			return BundleCommand.NewMember.of(this.callbackQueue, message).note();
		}

		/**
		 * As a bundle sends it: with headers.
		 */
		private static byte[] envelope(Map<String, Object> headers, String payload) {
			String beginning = new String(new EnvelopeCodec().writeBeginning(headers), StandardCharsets.UTF_8);
			return ("{" + beginning + '"' + payload + "\"}").getBytes(StandardCharsets.UTF_8);
		}

		private void cancelRest() {
			Expected bundle = pick();
			if (bundle != null && this.random.nextInt(3) == 0) {
				String answer = command(BundleCommand.cancelRest(bundle.id));
				bundle.over = answer.equals(BundleScript.Result.UNKNOWN);
				bundle.cancelled |= !bundle.over;
			}
		}

		private void close() {
			Expected bundle = pick();
			if (bundle != null) {
				this.open.remove(bundle.id);
				ended(bundle, command(BundleCommand.close(bundle.id)));
			}
		}

		private void add() {
			Expected bundle = pick();
			if (bundle == null) {
				return;
			}
			List<BundleCommand.NewMember> members = new ArrayList<>();
			boolean direct = this.random.nextBoolean();
			for (int i = 1 + this.random.nextInt(4); i > 0; i--) {
				NewMessage message = message().inBundle(new BundleMembership(this.callbackQueue, bundle.id));
				Place place = this.places.get(this.random.nextInt(this.places.size()));
				members.add(new BundleCommand.NewMember(new NextMessage(place.queue, message, null), direct));
			}
			String answer = command(BundleCommand.add(bundle.id, members));
			if (answer.equals(BundleScript.Result.UNKNOWN)) {
				bundle.over = true;
				return;
			}
			assertThat(answer).isIn("ADDED", "NOTED", "CANCELLED");
			bundle.added += members.size();
			members.forEach((member) -> {
				this.bundleOf.put(member.message().uid(), bundle);
				bundle.uids.add(member.message().uid());
			});
		}

		private NewMessage message() {
			String uid = this.uids.next();
			byte[] envelope = envelope(Map.of("of", "bundle"), uid);
			String key = "k" + this.random.nextInt(3);
			return switch (this.random.nextInt(7)) {
				case 0 -> new NewMessage(uid, "an id/" + this.random.nextInt(3), null, null, envelope);
				case 1 -> new NewMessage(uid, null, null, null, envelope, TestQueue.ordered(key), null);
				case 2 -> new NewMessage(uid, null, null, null, envelope, TestQueue.fair(key, 2), null);
				case 3 -> new NewMessage(uid, null, Duration.ofMillis(this.random.nextInt(5)), null, envelope);
				case 4 -> new NewMessage(uid, null, null, null, envelope, null,
						Deduplication.firstWins(key, Duration.ofSeconds(10)));
				case 5 -> new NewMessage(uid, null, Duration.ofMillis(5), null, envelope, null,
						Deduplication.debounce(key, Duration.ofMillis(5), Duration.ofSeconds(10)));
				default -> new NewMessage(uid, null, null, null, envelope);
			};
		}

		private String command(BundleCommand command) {
			this.seq++;
			BundleScript.Result reply = TestQueue
				.get(this.bundles.bundle().run(this.callbackQueue, this.lane, this.seq, List.of(command), false));
			if (this.random.nextInt(3) == 0) {
				assertThat(TestQueue
					.get(this.bundles.bundle().run(this.callbackQueue, this.lane, this.seq, List.of(command), false)))
					.as("repeated")
					.isEqualTo(reply);
			}
			assertThat(reply.status()).isEqualTo(LaneStatus.OK);
			return reply.answers().get(0);
		}

		private void ended(Expected bundle, String answer) {
			if (!answer.equals("CLOSED")) {
				bundle.over = true;
			}
		}

		/**
		 * Relays the first notes of an outbox, and returns whether any is done. Now and
		 * then it forgets that.
		 */
		private boolean relay(Place place, int most) {
			List<OutboxNote> notes = place.notes(most);
			if (notes.isEmpty()) {
				return false;
			}
			Set<String> done = new HashSet<>();
			List<OutboxNote> reported = new ArrayList<>();
			for (OutboxNote note : notes) {
				if (note.kind() == NextMessage.KIND) {
					NextMessage next = NextMessage.read(note);
					Place target = this.places.stream()
						.filter((each) -> each.queue.equals(next.queue()))
						.findFirst()
						.orElseThrow();
					TestQueue.get(target.sender.send(List.of(next.message())));
					done.add(note.id());
				}
				else if (note.kind() == BundleCancellation.KIND) {
					TestQueue.get(this.cancellation.relay(place.queue, List.of(note)))
						.done()
						.forEach((cancelled) -> done.add(cancelled.id()));
				}
				else {
					reported.add(note);
				}
			}
			Collection<OutboxNote> relayed = TestQueue.get(this.ends.relay(place.queue, reported)).done();
			assertThat(relayed).hasSameSizeAs(reported);
			relayed.forEach((note) -> done.add(note.id()));
			if (!done.isEmpty() && this.random.nextInt(4) > 0) {
				place.remove(done);
			}
			return !done.isEmpty();
		}

		private void consume(Place place) {
			List<Settlement> settlements = new ArrayList<>();
			for (ClaimReply.Message message : place.take()) {
				Expected bundle = this.bundleOf.get(place.uid(message));
				switch (isSentByBundle(message.envelope()) ? 2 : this.random.nextInt(7)) {
					case 0 -> {
						settlements.add(Settlement.bury(message.uid(), message.claim(),
								"{\"reason\":\"FAILED\",\"message\":\"no \\\"x\\\"\"}"));
						place.mine(message, bundle, End.DEAD);
					}
					case 6 -> {
						settlements.add(Settlement.cancel(message.uid(), message.claim(), null));
						place.mine(message, bundle, End.CANCELLED);
					}
					case 1 ->
						settlements.add(Settlement.retry(message.uid(), message.claim(), Duration.ofMillis(1), "{}"));
					case 2 -> settlements.add(Settlement.giveBack(message.uid(), message.claim(), Duration.ZERO));
					default -> {
						settlements.add(acknowledgement(place, message));
						place.mine(message, bundle, End.ACKNOWLEDGED);
					}
				}
			}
			place.claim(this.random.nextInt(4), settlements);
		}

		/**
		 * Of a message whose bundle wants results, with one, which now and then is too
		 * large.
		 */
		private Settlement acknowledgement(Place place, ClaimReply.Message message) {
			String envelope = new String(message.envelope(), StandardCharsets.UTF_8);
			if (!envelope.contains("\"redelay_bundleResult\":" + LONGEST_RESULT)) {
				return Settlement.ack(message.uid(), message.claim());
			}
			HandledMember result = (this.random.nextInt(5) == 0) ? HandledMember.leftOut() : new HandledMember(
					"application/json", ("\"result of " + place.uid(message) + "\"").getBytes(StandardCharsets.UTF_8));
			return Settlement.done(message.uid(), message.claim(), new Completion(List.of(result), (counted) -> {
			}));
		}

		private void administer(Place place) {
			List<StoredMessage> ready = TestQueue.get(admin.messages().browse(place.queue, MessageState.READY, 0, 10))
				.messages();
			List<StoredMessage> dead = TestQueue.get(admin.messages().browse(place.queue, MessageState.DEAD, 0, 10))
				.messages();
			if (this.random.nextInt(10) == 0 && !place.queue.equals(this.callbackQueue)) {
				String lane = TestQueue.get(admin.steer().openLane(place.queue));
				TestQueue.get(new PurgeScript(admin).run(place.queue, lane, 1, MessageState.READY, 3));
				return;
			}
			List<MessageCommand> commands = new ArrayList<>();
			for (StoredMessage message : ready) {
				if (this.random.nextInt(3) == 0 && !isSentByBundle(message.envelope())) {
					commands.add(new MessageCommand(
							this.random.nextBoolean() ? MessageCommand.Action.SCHEDULE : MessageCommand.Action.CANCEL,
							message.uid(), "+" + this.random.nextInt(3), this.uids.next()));
				}
			}
			for (StoredMessage message : dead) {
				if (this.random.nextInt(3) == 0) {
					commands
						.add(new MessageCommand(MessageCommand.Action.REDRIVE, message.uid(), "", this.uids.next()));
				}
			}
			if (!commands.isEmpty()) {
				TestQueue.get(place.commands.send(commands));
			}
		}

		private static boolean isCallback(byte[] envelope) {
			return new String(envelope, StandardCharsets.UTF_8).contains("\"headers\":{\"bundle\"");
		}

		private static boolean isFirstDeath(byte[] envelope) {
			return new String(envelope, StandardCharsets.UTF_8).contains("\"first\":\"");
		}

		private static boolean isSentByBundle(byte[] envelope) {
			return isCallback(envelope) || isFirstDeath(envelope);
		}

		private void drain() {
			this.open.keySet().forEach((id) -> command(BundleCommand.close(id)));
			long deadline = System.nanoTime() + Duration.ofMinutes(5).toNanos();
			while (TestQueue.get(this.bundles.bundles().list(this.callbackQueue, "0")).bundles().size() > 0
					|| this.callbacks.size() < this.all.size()) {
				assertThat(System.nanoTime()).as("bundles that are stuck: %s, callbacks %s",
						TestQueue.get(this.bundles.bundles().list(this.callbackQueue, "0")), this.callbacks.keySet())
					.isLessThan(deadline);
				for (Place place : this.places) {
					while (relay(place, 100)) {
						// all of them
					}
					List<Settlement> settlements = new ArrayList<>();
					for (ClaimReply.Message message : place.take()) {
						settlements.add(acknowledgement(place, message));
						place.mine(message, this.bundleOf.get(place.uid(message)), End.ACKNOWLEDGED);
					}
					place.claim(100, settlements);
				}
			}
		}

		private void check() {
			for (Expected bundle : this.all.values()) {
				BundleSummary summary = this.callbacks.get(bundle.id);
				assertThat(summary.total()).as("added to %s", bundle.id).isEqualTo(bundle.added);
				assertThat(summary.acknowledged()).as("acknowledged of %s: %s", bundle.id, summary)
					.isEqualTo(bundle.acknowledged);
				assertThat(summary.dead()).as("dead of %s: %s", bundle.id, summary).isEqualTo(bundle.dead);
				// Others were cancelled while they waited.
				assertThat(summary.cancelled()).as("cancelled of %s: %s", bundle.id, summary)
					.isGreaterThanOrEqualTo(bundle.cancelledInHand);
				assertThat(summary.deaths()).hasSize(summary.dead());
				assertThat(this.firstDeaths.getOrDefault(bundle.id, 0)).as("first death of %s: %s", bundle.id, summary)
					.isEqualTo((bundle.tellsFirstDeath && summary.dead() > 0) ? 1 : 0);
				checkResults(bundle, summary);
				assertThat(summary.acknowledged() + summary.dead() + summary.cancelled() + summary.purged()
						+ summary.replaced() + summary.duplicate())
					.as("all of %s: %s", bundle.id, summary)
					.isEqualTo(summary.total());
			}
			for (String key : List.of("bundles", "bundles:callbacks", "bundles:pending", "bundles:due",
					"bundles:results")) {
				assertThat(redis.client().getKeys().countExists(new TestQueue(this.callbackQueue, store).key(key)))
					.as(key)
					.isZero();
			}
		}

		/**
		 * Those that are kept are those of its messages; all that were acknowledged by
		 * their handlers had one.
		 */
		private void checkResults(Expected bundle, BundleSummary summary) {
			if (bundle.room == 0) {
				assertThat(summary.results()).isEqualTo(BundleResults.NONE);
				return;
			}
			List<BundleResult> kept = summary.results().kept();
			assertThat(kept.size() + summary.results().leftOut()).as("results of %s: %s", bundle.id, summary)
				.isEqualTo(summary.acknowledged());
			assertThat(kept).doesNotHaveDuplicates();
			if (kept.stream().map(BundleResult::id).distinct().count() < kept.size()) {
				assertThatIllegalStateException().isThrownBy(() -> summary.results(String.class));
				return;
			}
			summary.results(String.class)
				.forEach((id, result) -> assertThat(bundle.uids).as(bundle.id)
					.contains(result.substring("result of ".length())));
		}

		/**
		 * A queue with its consumer.
		 */
		private final class Place {

			private final String queue;

			private final TestSender sender;

			private final CommandBatcher commands;

			private final TestQueue requests;

			private TestQueue.Consumer consumer;

			private final List<ClaimReply.Message> holding = new ArrayList<>();

			private final Map<String, End> settled = new LinkedHashMap<>();

			Place(String queue) {
				this.queue = queue;
				this.requests = new TestQueue(queue, store);
				this.sender = new TestSender(store, queue, 1000, null, Duration.ofMinutes(1));
				this.commands = admin.steer().batcher(queue);
				this.consumer = this.requests.consumer();
			}

			/**
			 * What the consumer has in hand, and hands over now.
			 */
			List<ClaimReply.Message> take() {
				List<ClaimReply.Message> taken = List.copyOf(this.holding);
				this.holding.clear();
				this.settled.clear();
				return taken;
			}

			/**
			 * A settlement of the next request.
			 */
			void mine(ClaimReply.Message message, Expected bundle, End end) {
				this.settled.put(message.uid(), end);
				if (bundle == null && end == End.ACKNOWLEDGED) {
					callback(message);
				}
			}

			private void callback(ClaimReply.Message message) {
				String envelope = new String(message.envelope(), StandardCharsets.UTF_8);
				if (isFirstDeath(message.envelope())) {
					assertThat(envelope).contains("\"redelay_deathReason\":\"FAILED\"",
							"\"redelay_deathMessage\":\"no \\\"x\\\"\"", "\"redelay_originalQueue\":");
					String id = envelope.substring(envelope.indexOf("\"first\":\"") + 9);
					Run.this.firstDeaths.merge(id.substring(0, id.indexOf('"')), 1, Integer::sum);
				}
				if (isCallback(message.envelope())) {
					String payload = envelope.substring(envelope.indexOf("\"payload\":") + 10, envelope.length() - 1);
					BundleSummary summary = JsonMapper.shared().readValue(payload, BundleSummary.class);
					assertThat(Run.this.callbacks.put(summary.id(), summary)).as("the callback of %s", summary.id())
						.isNull();
				}
			}

			void claim(int wanted, List<Settlement> settlements) {
				Map<String, Expected> affected = new HashMap<>();
				Set<String> cancelled = new HashSet<>();
				for (Settlement settlement : settlements) {
					affected.put(settlement.uid(), bundle(settlement.uid()));
					if (this.settled.get(settlement.uid()) == End.DEAD && !TestQueue
						.get(new IsCancelledScript(store.runner()).run(this.queue, List.of(settlement.uid())))
						.isEmpty()) {
						cancelled.add(settlement.uid());
					}
				}
				List<ClaimReply.Message> claimed = this.consumer.claim(wanted, settlements).messages();
				for (Settlement settlement : settlements) {
					Expected bundle = affected.get(settlement.uid());
					End end = this.settled.get(settlement.uid());
					if (bundle != null && end != null && !cancelled.contains(settlement.uid())) {
						bundle.acknowledged += (end == End.ACKNOWLEDGED) ? 1 : 0;
						bundle.dead += (end == End.DEAD) ? 1 : 0;
						bundle.cancelledInHand += (end == End.CANCELLED) ? 1 : 0;
					}
					if (bundle != null && end != null) {
						Run.this.bundleOf.remove(this.sentAs.get(settlement.uid()));
					}
				}
				for (ClaimReply.Message message : claimed) {
					this.holding.add(message);
					this.sentAs.put(message.uid(), uid(message));
				}
			}

			private final Map<String, String> sentAs = new HashMap<>();

			private Expected bundle(String uid) {
				return Run.this.bundleOf.get(this.sentAs.get(uid));
			}

			/**
			 * The uid under which a message was sent, which is its payload, too.
			 */
			String uid(ClaimReply.Message message) {
				String envelope = new String(message.envelope(), StandardCharsets.UTF_8);
				return envelope.contains("\"payload\":\"") ? TestQueue.payload(message) : message.uid();
			}

			/**
			 * Has the consumer die, or end in order, with what it has in hand.
			 */
			void restart(boolean dies) {
				this.consumer.close();
				this.holding.clear();
				this.consumer = this.requests.consumer();
				if (dies) {
					this.consumer.claim(0);
				}
			}

			List<OutboxNote> notes(int most) {
				List<Object> found = redis.client()
					.getScript(ByteArrayCodec.INSTANCE)
					.eval(RScript.Mode.READ_ONLY,
							"""
									local notes = {}
									for _, entry in ipairs(redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', ARGV[1])) do
									  notes[#notes + 1], notes[#notes + 2], notes[#notes + 3] = entry[1], entry[2][1], entry[2][2]
									end
									return notes
									""",
							RScript.ReturnType.LIST, List.of(this.requests.key("outbox")),
							Integer.toString(most).getBytes(StandardCharsets.UTF_8));
				List<OutboxNote> notes = new ArrayList<>();
				for (int i = 0; i < found.size(); i += 3) {
					notes.add(new OutboxNote(text(found.get(i)), text(found.get(i + 1)).charAt(0),
							(byte[]) found.get(i + 2)));
				}
				return notes;
			}

			private static String text(Object bytes) {
				return new String((byte[]) bytes, StandardCharsets.UTF_8);
			}

			void remove(Set<String> ids) {
				redis.client()
					.getScript(ByteArrayCodec.INSTANCE)
					.eval(RScript.Mode.READ_WRITE, "return redis.call('XDEL', KEYS[1], unpack(ARGV))",
							RScript.ReturnType.LONG, List.of(this.requests.key("outbox")),
							ids.stream().map((id) -> id.getBytes(StandardCharsets.UTF_8)).toArray());
			}

		}

	}

	/**
	 * What is said of a message in hand.
	 */
	private enum End {

		ACKNOWLEDGED, DEAD, CANCELLED

	}

	private static final class Expected {

		private final String id;

		private int added;

		private int acknowledged;

		private int dead;

		private int cancelledInHand;

		private boolean over;

		/**
		 * How many bytes of results are kept, 0 if none are wanted.
		 */
		private int room;

		private boolean cancelsRest;

		private boolean tellsFirstDeath;

		private boolean cancelled;

		private final Set<String> uids = new HashSet<>();

		Expected(String id) {
			this.id = id;
		}

	}

}
