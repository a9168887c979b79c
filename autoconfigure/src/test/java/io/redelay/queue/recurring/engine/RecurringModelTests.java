package io.redelay.queue.recurring.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

import io.redelay.queue.QueueHeaders;
import io.redelay.queue.handle.TickAdmission;
import io.redelay.queue.message.Envelope;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.recurring.MissedTicks;
import io.redelay.queue.recurring.OverlappingRuns;
import io.redelay.queue.recurring.RecurringDeclaration;
import io.redelay.queue.recurring.RecurringEvent;
import io.redelay.queue.recurring.RecurringInfo;
import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.messaging.converter.StringMessageConverter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * What recurring messages do on two instances while anything happens in any order: times
 * pass, instances claim, acknowledge and die, and commands pause, resumes, changes and
 * runs one. For each way to deal with missed ticks and with overlapping runs.
 */
class RecurringModelTests {

	private static final String QUEUE = "queue";

	private static final String NAME = "model";

	private static final Duration EVERY = Duration.ofSeconds(10);

	private static final Duration JITTER = Duration.ofSeconds(4);

	private static final int STEPS = 400;

	private final VirtualTime time = new VirtualTime();

	private final MemoryRecurringStore store = new MemoryRecurringStore(this.time);

	private final List<RecurringEvent> events = new ArrayList<>();

	private final RecurringEngine one = engine("one");

	private final RecurringEngine other = engine("other");

	private RecurringEngine engine(String name) {
		return new RecurringEngine(this.store.instance(name), new EnvelopeCodec(), JsonMapper.shared(),
				new StringMessageConverter(), new RecurringReporter(Runnable::run, (event) -> {
					if (event instanceof RecurringEvent reported) {
						this.events.add(reported);
					}
				}), this.time, Duration.ofMinutes(5), (queue) -> null);
	}

	static Stream<Arguments> policies() {
		return Stream.of(MissedTicks.values())
			.flatMap((missed) -> Stream.of(OverlappingRuns.values()).map((overlap) -> arguments(missed, overlap)));
	}

	@ParameterizedTest
	@MethodSource("policies")
	void exactlySoManyRunsBeginWithinTheSpanAndNoneIsEarly(MissedTicks missed, OverlappingRuns overlap) {
		for (int seed = 0; seed < 30; seed++) {
			new Model(new Random(seed), missed, overlap, "seed " + seed).run();
		}
	}

	@Test
	void whatHasEndedIsNotBegunAnewByTheNextStartAndIsByAnotherDeclaration() {
		RecurringDeclaration declaration = RecurringDeclaration.every(QUEUE, NAME, EVERY).payload("x").maxRuns(2);
		this.one.messages().declare(declaration);
		runAll();
		assertThat(info().ended()).isTrue();
		assertThat(info().runs()).isEqualTo(2);
		assertThat(this.events).filteredOn((event) -> event.kind() == RecurringEvent.Kind.ENDED).hasSize(1);
		this.other.messages().declare(declaration);
		this.other.messages().declare(declaration.payload("y"));
		assertThat(info().ended()).as("another payload leaves no run more").isTrue();
		this.other.messages().declare(declaration.maxRuns(5));
		assertThat(info().runsLeft()).isEqualTo(3);
		runAll();
		assertThat(info().runs()).isEqualTo(5);
		assertThat(info().ended()).isTrue();
		assertThat(this.events).filteredOn((event) -> event.kind() == RecurringEvent.Kind.ENDED).hasSize(2);
		this.one.messages().remove(QUEUE, NAME);
		this.one.messages().declare(declaration);
		assertThat(info().runs()).as("removed, it begins anew").isZero();
		runAll();
		assertThat(info().runs()).isEqualTo(2);
	}

	@Test
	void itRunsAtOnceWhenItIsDeclaredFirstOrOtherwiseAndOnlyThen() {
		RecurringDeclaration declaration = RecurringDeclaration.every(QUEUE, NAME, EVERY)
			.payload("x")
			.runAtDeclaration();
		this.one.messages().declare(declaration);
		assertThat(claimAll()).hasSize(1);
		assertThat(info().runs()).isEqualTo(1);
		this.other.messages().declare(declaration);
		assertThat(claimAll()).isEmpty();
		this.other.messages().declare(declaration.payload("y"));
		assertThat(claimAll()).hasSize(1);
		this.one.messages().pause(QUEUE, NAME);
		this.one.messages().declare(declaration);
		assertThat(claimAll()).as("paused").isEmpty();
		assertThat(info().runs()).isEqualTo(2);
	}

	@Test
	void oneThatEndsWhileNoInstanceIsThereRunsItsLastTickLate() {
		Instant until = this.store.now().plus(EVERY.multipliedBy(3));
		this.one.messages().declare(RecurringDeclaration.every(QUEUE, NAME, EVERY).payload("x").until(until));
		this.time.advance(Duration.ofHours(1));
		assertThat(claimAll()).hasSize(1);
		assertThat(info().ended()).isTrue();
		assertThat(info().nextRuns()).isEmpty();
		this.one.messages().declare(RecurringDeclaration.every(QUEUE, NAME, EVERY).payload("x"));
		assertThat(info().ended()).isFalse();
		assertThat(info().nextRuns()).hasSize(5);
	}

	@Test
	void afterARollbackWhatWasForgottenRunsAgainAndTheNumberIsAsOldAsTheRest() {
		this.one.messages().declare(RecurringDeclaration.every(QUEUE, NAME, EVERY).payload("x").maxRuns(3));
		this.time.advance(EVERY);
		assertThat(claimAll()).hasSize(1);
		Runnable back = this.store.snapshot();
		this.time.advance(EVERY);
		assertThat(claimAll()).hasSize(1);
		back.run();
		assertThat(claimAll()).as("the run that Redis has forgotten").hasSize(1);
		runAll();
		assertThat(info().runs()).isEqualTo(3);
		assertThat(info().ended()).isTrue();
	}

	private RecurringInfo info() {
		return this.one.messages().find(QUEUE, NAME).orElseThrow();
	}

	private void runAll() {
		for (int i = 0; i < 20; i++) {
			this.time.advance(EVERY);
			claimAll();
		}
	}

	/**
	 * Handles and acknowledges all that is due.
	 * @return the ticks that ran
	 */
	private List<String> claimAll() {
		List<String> ran = new ArrayList<>();
		for (int i = 0; i < 100 && !this.store.due().isEmpty(); i++) {
			for (NewMessage message : this.store.due()) {
				TickAdmission.Verdict verdict = admit(this.one, message);
				if (verdict.action() == TickAdmission.Action.HANDLE) {
					ran.add(message.uid());
				}
				if (verdict.action() != TickAdmission.Action.WAIT) {
					this.store.end(message.uid());
				}
			}
		}
		return ran;
	}

	private static TickAdmission.Verdict admit(RecurringEngine engine, NewMessage message) {
		return engine.ticks().admit(QUEUE, message.uid(), envelope(message)).join();
	}

	private static Envelope envelope(NewMessage message) {
		byte[] stored = message.envelope();
		return new EnvelopeCodec()
			.read(("{\"sentAt\":0," + new String(stored, 1, stored.length - 1, java.nio.charset.StandardCharsets.UTF_8))
				.getBytes(java.nio.charset.StandardCharsets.UTF_8));
	}

	/**
	 * One course of things.
	 */
	private final class Model {

		private final Random random;

		private final String name;

		private final RecurringDeclaration declaration;

		private final int maxRuns;

		private final Instant from;

		private final Instant until;

		/**
		 * The runs in hand, by uid, and what is done at their ends.
		 */
		private final Map<String, TickAdmission.Verdict> inHand = new LinkedHashMap<>();

		/**
		 * The runs that began, which may begin again when an instance dies.
		 */
		private final Set<String> begun = new LinkedHashSet<>();

		private int runsNow;

		private int ended;

		Model(Random random, MissedTicks missed, OverlappingRuns overlap, String name) {
			this.random = random;
			this.name = missed + " " + overlap + " " + name;
			this.maxRuns = 1 + random.nextInt(8);
			boolean spanned = random.nextBoolean();
			this.from = RecurringModelTests.this.store.now().plusSeconds(random.nextInt(30));
			this.until = spanned ? this.from.plusSeconds(random.nextInt(200)) : Instant.MAX;
			RecurringDeclaration plain = RecurringDeclaration.every(QUEUE, NAME + Math.abs(random.nextInt()), EVERY)
				.payload("x")
				.missed(missed)
				.overlap(overlap)
				.lateAfter(Duration.ofSeconds(3))
				.maxRuns(this.maxRuns)
				.from(this.from);
			plain = random.nextBoolean() ? plain.jitter(JITTER) : plain;
			this.declaration = spanned ? plain.until(this.until) : plain;
		}

		void run() {
			this.ended = events(RecurringEvent.Kind.ENDED);
			engine().messages().declare(this.declaration);
			for (int i = 0; i < STEPS; i++) {
				step();
			}
			info().ifPresent((info) -> engine().messages().resume(QUEUE, this.declaration.name()));
			for (int i = 0; i < 400; i++) {
				// So short that no tick is late.
				RecurringModelTests.this.time.advance(Duration.ofSeconds(1));
				claim(100);
				new ArrayList<>(this.inHand.keySet()).forEach(this::acknowledge);
			}
			RecurringInfo info = info().orElseThrow();
			assertThat(info.ended()).as(this.name).isTrue();
			assertThat((long) this.begun.size() - this.runsNow).as(this.name + ": runs").isEqualTo(info.runs());
			assertThat(info.runs()).as(this.name).isLessThanOrEqualTo(this.maxRuns);
			if (this.until.equals(Instant.MAX)) {
				assertThat(info.runs()).as(this.name).isEqualTo(this.maxRuns);
			}
			assertThat(events(RecurringEvent.Kind.ENDED) - this.ended).as(this.name + ": reported").isEqualTo(1);
			engine().messages().remove(QUEUE, this.declaration.name());
		}

		private int events(RecurringEvent.Kind kind) {
			return (int) RecurringModelTests.this.events.stream().filter((event) -> event.kind() == kind).count();
		}

		private java.util.Optional<RecurringInfo> info() {
			return engine().messages().find(QUEUE, this.declaration.name());
		}

		private RecurringEngine engine() {
			return this.random.nextBoolean() ? RecurringModelTests.this.one : RecurringModelTests.this.other;
		}

		private void step() {
			switch (this.random.nextInt(12)) {
				case 0, 1, 2, 3 -> RecurringModelTests.this.time.advance(Duration.ofMillis(this.random.nextInt(8000)));
				case 4, 5, 6 -> claim(1 + this.random.nextInt(3));
				case 7, 8 -> this.inHand.keySet().stream().findFirst().ifPresent(this::acknowledge);
				// An instance dies: its messages are claimed again.
				case 9 -> this.inHand.clear();
				case 10 -> steer();
				default -> {
					if (this.random.nextInt(10) == 0) {
						RecurringModelTests.this.time.advance(Duration.ofSeconds(this.random.nextInt(60)));
					}
				}
			}
		}

		private void steer() {
			switch (this.random.nextInt(6)) {
				case 0 -> engine().messages().pause(QUEUE, this.declaration.name());
				case 1, 2 -> engine().messages().resume(QUEUE, this.declaration.name());
				case 3 -> engine().messages().declare(this.declaration.payload("y" + this.random.nextInt(2)));
				case 4 -> engine().messages().declare(this.declaration);
				default -> {
					if (engine().messages().runNow(QUEUE, this.declaration.name())) {
						this.runsNow++;
					}
				}
			}
		}

		private void claim(int most) {
			List<NewMessage> due = RecurringModelTests.this.store.due()
				.stream()
				.filter((message) -> !this.inHand.containsKey(message.uid()))
				.limit(most)
				.toList();
			for (NewMessage message : due) {
				TickAdmission.Verdict verdict = admit(engine(), message);
				switch (verdict.action()) {
					case HANDLE -> begin(message, verdict);
					case SKIP -> RecurringModelTests.this.store.end(message.uid());
					case WAIT -> {
					}
				}
			}
		}

		private void begin(NewMessage message, TickAdmission.Verdict verdict) {
			this.inHand.put(message.uid(), verdict);
			this.begun.add(message.uid());
			Instant tick = Instant.parse(String.valueOf(envelope(message).headers().get(QueueHeaders.TICK)));
			assertThat(Objects.requireNonNull(message.dueAt())).as(this.name).isEqualTo(tick);
			assertThat(RecurringModelTests.this.store.now()).as(this.name + ": early").isAfterOrEqualTo(tick);
		}

		private void acknowledge(String uid) {
			TickAdmission.Verdict verdict = Objects.requireNonNull(this.inHand.remove(uid));
			if (verdict.end() != null) {
				verdict.end().get().join();
			}
			RecurringModelTests.this.store.end(uid);
		}

	}

}
