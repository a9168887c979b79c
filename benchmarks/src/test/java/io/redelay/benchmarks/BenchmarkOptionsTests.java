package io.redelay.benchmarks;

import java.net.URI;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class BenchmarkOptionsTests {

	@Test
	void whatIsNotGivenHasItsDefault() {
		assertThat(read()).isEqualTo(new StoreOptions(null, 5, 100_000, 200));
	}

	@Test
	void whatIsGivenReplacesTheDefault() {
		assertThat(read("--redis=redis://host:1", "--messages=4000"))
			.isEqualTo(new StoreOptions(URI.create("redis://host:1"), 5, 4000, 200));
	}

	@Test
	void anUnknownOptionIsRefusedWithTheNamesOfAll() {
		assertThatIllegalArgumentException().isThrownBy(() -> read("--round=3"))
			.withMessageContaining("--round=3")
			.withMessageContaining("--redis, --rounds, --messages, --bytes");
	}

	@Test
	void aNumberBelowOneIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> read("--rounds=0"))
			.withMessageContaining("'--rounds' must be at least 1: 0");
	}

	@Test
	void whatIsNoOptionIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> read("rounds=3")).withMessageContaining("rounds=3");
	}

	private static StoreOptions read(String... args) {
		return BenchmarkOptions.read(StoreOptions.class, args);
	}

}
