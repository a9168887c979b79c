package io.redelay.queue.logging;

import java.nio.charset.StandardCharsets;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JsonPayloadMasker}.
 */
class JsonPayloadMaskerTests {

	private final JsonPayloadMasker masker = new JsonPayloadMasker(List.of("password", "card-number", "token"), 120);

	@Test
	void masksFieldsByTheirNamesWhateverTheyHold() {
		assertThat(json(
				"{\"name\":\"amy\",\"password\":\"geheim\",\"a\":[{\"cardNumber\":4711}],\"token\":{\"x\":[1]},\"z\":1.50}"))
			.isEqualTo(
					"{\"name\":\"amy\",\"password\":\"***\",\"a\":[{\"cardNumber\":\"***\"}],\"token\":\"***\",\"z\":1.50}");
	}

	@Test
	void namesAreComparedWithoutCaseAndSigns() {
		assertThat(json("{\"USER_PASSWORD\":1,\"card_number_2\":2,\"accessToken\":3,\"number\":4}"))
			.isEqualTo("{\"USER_PASSWORD\":\"***\",\"card_number_2\":\"***\",\"accessToken\":\"***\",\"number\":4}");
	}

	@Test
	void cutsWhatIsLong() {
		assertThat(json("\"" + "x".repeat(500) + "\"")).hasSizeLessThan(150).contains("…").contains("502 characters");
	}

	@Test
	void masksBeforeItCuts() {
		assertThat(json("{\"a\":\"" + "x".repeat(105) + "\",\"password\":\"geheim\"}")).doesNotContain("gehe");
	}

	@Test
	void showsTextAndMasksJsonThatIsSentAsText() {
		assertThat(mask("plain 书 text", "text/plain")).isEqualTo("plain 书 text");
		assertThat(mask("{\"password\":1}", "text/plain")).isEqualTo("{\"password\":\"***\"}");
	}

	@Test
	void showsOnlyTheSizeOfAnythingElse() {
		assertThat(mask("geheim", "application/octet-stream")).isEqualTo("6 bytes of application/octet-stream");
		assertThat(json("geheim")).isEqualTo("6 bytes of application/json that are no JSON");
		assertThat(json("{\"password\":\"geheim")).doesNotContain("geheim");
	}

	private String json(String payload) {
		return mask(payload, "application/json");
	}

	private String mask(String payload, String contentType) {
		return this.masker.mask(payload.getBytes(StandardCharsets.UTF_8), contentType);
	}

}
