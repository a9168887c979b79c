package io.redelay.queue.actuate;

import java.util.HashMap;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RequestParameters}.
 */
class RequestParametersTests {

	@Test
	void asTextHasNamesOnly() {
		assertThat(new RequestParameters(Map.of("payload", "secret", "due", "now")))
			.hasToString("RequestParameters[due, payload]");
	}

	@Test
	void staysAsItIsWhenWhatItWasMadeOfChanges() {
		Map<String, String> values = new HashMap<>(Map.of("payload", "secret"));
		RequestParameters parameters = new RequestParameters(values);
		values.clear();
		assertThat(parameters.get("payload")).isEqualTo("secret");
	}

}
