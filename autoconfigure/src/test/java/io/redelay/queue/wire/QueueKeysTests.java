package io.redelay.queue.wire;

import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link QueueKeys} and {@link ScriptKey}.
 */
class QueueKeysTests {

	private final QueueKeys keys = QueueKeys.of("p", "q");

	@Test
	void keysHaveTheHashTagOfTheirQueue() {
		assertThat(this.keys.of(Script.DEATHS)).containsExactly("p:{q}:dead", "p:{q}:dead:messages");
		assertThat(this.keys.of(Script.LOOK_INLET)).containsExactly("p:{q}:meta", "p:inlet:{q}");
	}

	@Test
	void keysOfAGroupHaveTheHashTagOfItsTopic() {
		assertThat(QueueKeys.of("p", "topic@group").of(Script.TIDY)).containsExactly("p:{topic}@group:messages",
				"p:{topic}@group:ready", "p:{topic}@group:suspects");
		assertThat(QueueKeys.of("p", "topic@").of(Script.KEEP_LOG)).containsExactly("p:{topic}@:known",
				"p:{topic}@:groups", "p:{topic}@:log");
	}

	@Test
	void theLastKeysOfAScriptNeedNotBeNamed() {
		List<Object> three = this.keys.of(Script.RENEW_LANE);
		assertThat(three).hasSize(3);
		assertThat(this.keys.with(ScriptKey.SHARED_HELD, "s").of(Script.RENEW_LANE)).hasSize(4)
			.startsWith(three.toArray())
			.endsWith("s");
	}

	@Test
	void aKeyBeforeOthersIsNamed() {
		assertThat(this.keys.sentBy("lane").of(Script.OPEN_SENDER)).startsWith("p:{q}:sent:lane");
		assertThatIllegalStateException().isThrownBy(() -> this.keys.of(Script.OPEN_SENDER))
			.withMessageContaining("before 'known'");
	}

	@Test
	void aScriptNamesNoUnknownKey() {
		assertThatIllegalStateException().isThrownBy(() -> ScriptKey.named("unheard:of"))
			.withMessageContaining("unheard:of");
	}

	/**
	 * But those of senders, which expire, and the inlet, which others fill.
	 */
	@Test
	void aQueueIsDeletedWithAllItsKeys() {
		assertThat(LuaScripts.load().keys(Script.DELETE)).doesNotHaveDuplicates()
			.containsExactlyInAnyOrderElementsOf(
					Arrays.stream(ScriptKey.values()).filter(ScriptKey::isOfQueue).toList());
		assertThat(LuaScripts.load().keys(Script.FORGET_QUEUE)).doesNotHaveDuplicates()
			.containsAll(LuaScripts.load().keys(Script.DELETE))
			.contains(ScriptKey.INLET);
	}

}
