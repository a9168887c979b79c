package io.redelay.queue.admin.engine.instance;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.redelay.queue.admin.InstanceInfo;
import io.redelay.queue.admin.InstanceListener;
import io.redelay.queue.admin.RunningHandler;
import io.redelay.queue.admin.RunningHandlers;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.wire.ScriptRunner;
import io.redelay.queue.wire.WakeUpSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;

/**
 * Tests for {@link HandlerInquiry}.
 */
class HandlerInquiryTests {

	private static final Instant NOW = Instant.ofEpochSecond(1000);

	private final JsonMapper mapper = JsonMapper.shared();

	private final Channel channel = new Channel();

	private final InstanceDirectory directory = Mockito.mock();

	private final List<InstanceInfo> instances = new ArrayList<>();

	private final Set<String> answering = new HashSet<>();

	private HandlerInquiry inquiry;

	@BeforeEach
	void createInquiry() {
		AdminScripts store = Mockito.mock();
		ScriptRunner runner = Mockito.mock();
		given(store.runner()).willReturn(runner);
		given(store.answers()).willReturn(this.channel);
		given(this.directory.askAll()).willAnswer((invocation) -> CompletableFuture
			.completedFuture(new InstanceDirectory.Announced(this.instances, this.instances, NOW, this.answering)));
		this.inquiry = new HandlerInquiry(store, this.directory, this.mapper);
	}

	@Test
	void onlyInstancesThatHearQuestionsAreAsked() {
		instance("stopped", InstanceListener.State.STOPPED, null);
		instance("paused", InstanceListener.State.PAUSED, new HandlerAnswer(List.of(), 0, null, null, null));
		assertThat(this.inquiry.list(null, false))
			.isEqualTo(new RunningHandlers(List.of(), 0, List.of("paused"), List.of()));
		assertThat(this.channel.questions).containsOnlyKeys("paused");
		HandlerQuestion asked = this.mapper.readValue(this.channel.questions.get("paused"), HandlerQuestion.class);
		assertThat(asked.until()).isEqualTo(NOW.plusMillis(1500).toEpochMilli());
		assertThat(asked.lines()).isFalse();
	}

	@Test
	void oneThatKnowsNoQuestionIsNamedAtOnce() {
		instance("old", InstanceListener.State.RUNNING, null);
		this.answering.clear();
		for (int i = 0; i < 501; i++) {
			instance("i" + i, InstanceListener.State.RUNNING, list(handler("i" + i, "u" + i, 1, 0)));
		}
		RunningHandlers found = this.inquiry.list("q", true);
		assertThat(found.handlers()).hasSize(500);
		assertThat(found.silent()).extracting(InstanceInfo::name).containsExactly("old", "i500");
		assertThat(this.channel.questions).doesNotContainKeys("old", "i500");
	}

	@Test
	void anAnswerWithGapsIsNone() {
		instance("good", InstanceListener.State.RUNNING, list(handler("good", "u", 1, 0)));
		for (String text : List.of("busy", "{\"handlers\":[null]}", "{\"handlers\":[{\"queue\":\"q\"}]}",
				"{\"times\":[{\"queue\":\"q\"}]}", "{\"times\":[{\"queue\":\"q\",\"counts\":{\"1\":null}}]}",
				"{\"stack\":{\"queue\":\"q\",\"frames\":[]}}")) {
			instance(text, InstanceListener.State.RUNNING, null);
			this.channel.answers.put(text, text);
		}
		long begin = System.nanoTime();
		RunningHandlers found = this.inquiry.list(null, true);
		assertThat(found.handlers()).hasSize(1);
		assertThat(found.silent()).hasSize(6);
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).as("all answered").isLessThan(Duration.ofMillis(1500));
	}

	@Test
	void anInstanceSpeaksForItself() {
		instance("liar", InstanceListener.State.RUNNING, list(handler("liar", "u", 1, 0), handler("other", "v", 1, 0)));
		assertThat(this.inquiry.list(null, true).handlers()).extracting(RunningHandler::uid).containsExactly("u");
		assertThat(this.inquiry.present("another", "u").value()).as("of another queue").isNull();
	}

	@Test
	void thePresentHandlerIsThatWhichBeganLast() {
		instance("lost", InstanceListener.State.RUNNING, list(handler("lost", "u", 900, 0)));
		instance("present", InstanceListener.State.RUNNING,
				list(handler("present", "u", 2, 5), handler("present", "other", 3, 9)));
		RunningHandler found = this.inquiry.present("q", "u").value();
		assertThat(found.instance()).isEqualTo("present");
		assertThat(found.claim()).isEqualTo(2);
	}

	@Test
	void oneThatInterruptedCountsMoreThanOneWithNothingToInterrupt() {
		instance("a", InstanceListener.State.RUNNING, HandlerAnswer.of(false));
		instance("b", InstanceListener.State.RUNNING, HandlerAnswer.of(true));
		instance("c", InstanceListener.State.RUNNING, HandlerAnswer.of(false));
		assertThat(this.inquiry.interrupt("q", "u", 1).value()).isTrue();
	}

	private void instance(String name, InstanceListener.State state, HandlerAnswer answer) {
		this.instances.add(new InstanceInfo(name, name, null, NOW, NOW,
				List.of(new InstanceListener("l", state, 1, 0, 0, List.of(InstanceDescriptionTests.listened("q")))),
				List.of(), 0, 0, Set.of()));
		this.answering.add(name);
		if (answer != null) {
			this.channel.answers.put(name, this.mapper.writeValueAsString(answer));
		}
	}

	private static HandlerAnswer list(RunningHandler... handlers) {
		return new HandlerAnswer(List.of(handlers), 0, null, null, null);
	}

	private static RunningHandler handler(String instance, String uid, long claim, long since) {
		return new RunningHandler("q", "id", uid, claim, 1, 2, null, NOW, "l", instance, instance,
				NOW.plusSeconds(since), Duration.ZERO, RunningHandler.State.HANDLING, null, null, false, 1, false,
				false, null, null, null);
	}

	/**
	 * Answers at once.
	 */
	private static final class Channel implements WakeUpSource {

		private final Map<String, String> answers = new ConcurrentHashMap<>();

		private final Map<String, String> questions = new ConcurrentHashMap<>();

		private Listener listener;

		@Override
		public String instance() {
			return "asker";
		}

		@Override
		public Subscription subscribe(Listener listener) {
			this.listener = listener;
			return new Subscription() {

				@Override
				public void close() {
				}

				@Override
				public boolean isActive() {
					return true;
				}

			};
		}

		@Override
		public void redisIsBack() {
		}

		@Override
		public String prefix() {
			return "wake:";
		}

		@Override
		public void ask(String other, String number, String question) {
			this.questions.put(other, question);
			String answer = this.answers.get(other);
			if (answer != null) {
				this.listener.answered(number, other, answer);
			}
		}

	}

}
