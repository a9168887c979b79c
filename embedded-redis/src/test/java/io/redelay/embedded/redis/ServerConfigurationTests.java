package io.redelay.embedded.redis;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link ServerConfiguration}.
 */
class ServerConfigurationTests {

	@Test
	void quotesValues() {
		assertThat(new ServerConfiguration().set("dir", "/a b/\"c\"\\d").text())
			.isEqualTo("dir \"/a b/\\\"c\\\"\\\\d\"\n");
	}

	@Test
	void takesLinesAsTheyAreAndLast() {
		ServerConfiguration configuration = new ServerConfiguration().set("port", 1)
			.addAll(List.of("save 60 1", " maxmemory 5mb "));
		assertThat(configuration.text()).isEqualTo("port \"1\"\nsave 60 1\nmaxmemory 5mb\n");
	}

	@Test
	void refusesWhatIsNotOneLine() {
		assertThatIllegalArgumentException().isThrownBy(() -> new ServerConfiguration().add("save 1 1\nport 2"))
			.withMessageContaining("'line' must be one line");
		assertThatIllegalArgumentException().isThrownBy(() -> new ServerConfiguration().add(" "));
	}

}
