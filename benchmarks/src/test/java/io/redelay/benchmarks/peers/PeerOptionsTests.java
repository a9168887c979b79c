package io.redelay.benchmarks.peers;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PeerOptionsTests {

	@Test
	void allItemsAndContendersAreMeasuredByDefault() {
		PeerOptions options = PeerOptions.read();
		assertThat(options.items()).isEmpty();
		assertThat(options.contenders()).isEmpty();
		assertThat(options.warmUp()).isEqualTo(2);
		assertThat(options.others()).containsExactly(0, 200_000, 2_000_000);
	}

	@Test
	void aQuickRunHasOtherDefaultsWhichOptionsReplace() {
		PeerOptions options = PeerOptions.read("--size=1000", "--quick");
		assertThat(options.items()).containsExactly("send-futures", "drain", "both", "latency");
		assertThat(options.warmUp()).isEqualTo(1);
		assertThat(options.size()).isEqualTo(1000);
	}

}
