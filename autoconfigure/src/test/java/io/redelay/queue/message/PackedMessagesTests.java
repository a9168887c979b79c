package io.redelay.queue.message;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

import io.redelay.queue.message.PackedMessages.Entry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link PackedMessages}.
 */
class PackedMessagesTests {

	private final Uids uids = new Uids();

	@Test
	void whatIsUnpackedIsWhatWasPacked() {
		List<Entry> messages = new ArrayList<>();
		for (int i = 0; i < PackedMessages.MAX_MESSAGES; i++) {
			messages.add(entry(i, (i % 3 == 0) ? "é|%\n😀" + i : "", "x".repeat(i * 5)));
		}
		assertThat(PackedMessages.unpack(PackedMessages.pack(messages))).usingRecursiveFieldByFieldElementComparator()
			.containsExactlyElementsOf(messages);
	}

	@Test
	void messagesThatAreAlikeNeedLittleRoom() {
		List<Entry> messages = random(100);
		int size = messages.stream().mapToInt((each) -> each.envelope().length).sum();
		assertThat(PackedMessages.pack(messages).length).isLessThan(size * 7 / 10);
	}

	/**
	 * The sizes that jemalloc allocates: four for each doubling.
	 */
	@Test
	void aChunkThatIsALittleLongerThanRedisAllocatesHasFewerMessages() {
		Set<Integer> counts = new TreeSet<>();
		for (int length = 100; length < 400; length++) {
			List<Entry> messages = random(length);
			byte[] all = PackedMessages.pack(messages);
			byte[] first = PackedMessages.packFirst(messages);
			int count = PackedMessages.count(first);
			assertThat(PackedMessages.areIn(first, messages.subList(0, count))).isTrue();
			assertThat(allocated(first) / count).as("%s bytes", all.length)
				.isLessThanOrEqualTo(allocated(all) / messages.size());
			assertThat(allocated(first)).isLessThan(first.length * 1.22);
			counts.add(count);
		}
		assertThat(counts).contains(PackedMessages.MAX_MESSAGES).hasSizeGreaterThan(5);
	}

	private static double allocated(byte[] packed) {
		double size = 1024;
		for (int i = 0; size < packed.length + 16; i++) {
			size = 1024 * Math.pow(2, i / 4) * (1 + (i % 4) / 4.0);
		}
		return size;
	}

	private List<Entry> random(int length) {
		Random random = new Random(length);
		List<Entry> messages = new ArrayList<>();
		for (int i = 0; i < PackedMessages.MAX_MESSAGES; i++) {
			StringBuilder payload = new StringBuilder();
			random.ints(length, 0, 64).forEach((digit) -> payload.append((char) ('0' + digit)));
			messages.add(entry(i, "", payload.toString()));
		}
		return messages;
	}

	@Test
	void anEnvelopeMayHaveAnyForm() {
		for (String envelope : List.of("", "{", "{\"sentAt\":", "{\"sentAt\":5", "{\"sentAt\":5,",
				"{\"sentAt\":5,\"dueAt\":77,", "{\"sentAt\":5,\"dueAt\":7,\"v\":1}",
				"{\"sentAt\":5,\"dueAt\":77,\"payload\":\"\\\"dueAt\\\":77,\"}", "@1")) {
			List<Entry> one = List.of(new Entry("u", 77, "", envelope.getBytes(StandardCharsets.UTF_8)));
			assertThat(PackedMessages.unpack(PackedMessages.pack(one))).usingRecursiveFieldByFieldElementComparator()
				.containsExactlyElementsOf(one);
		}
	}

	@Test
	void whatIsDamagedIsRefusedWithTheReason() {
		byte[] packed = PackedMessages.pack(List.of(entry(1, "", "abc"), entry(2, "i", "def")));
		assertRefused(new byte[0], "0 bytes");
		assertRefused(Arrays.copyOf(packed, packed.length - 5), "");
		byte[] later = packed.clone();
		later[0] = 2;
		assertRefused(later, "its format is 2, and this version reads 1");
		byte[] many = packed.clone();
		many[2] = 1;
		assertRefused(many, "it says that it has");
		byte[] wrong = packed.clone();
		wrong[12]++;
		assertRefused(wrong, "check sum");
		for (int i = 1; i < packed.length; i++) {
			byte[] changed = packed.clone();
			changed[i] ^= 0x55;
			try { // the last byte has bits that mean nothing
				assertThat(PackedMessages.unpack(changed)).usingRecursiveFieldByFieldElementComparator()
					.containsExactlyElementsOf(PackedMessages.unpack(packed));
			}
			catch (IllegalArgumentException ex) {
				assertThat(ex).hasMessageStartingWith("it");
			}
		}
	}

	@Test
	void whatWouldBeAnotherMessageIsFound() {
		List<Entry> messages = List.of(entry(1, "", "abc"), entry(2, "i", "def"));
		byte[] packed = PackedMessages.pack(messages);
		assertThat(PackedMessages.areIn(packed, messages)).isTrue();
		assertThat(PackedMessages.areIn(packed, messages.subList(0, 1))).isFalse();
		assertThat(PackedMessages.areIn(Arrays.copyOf(packed, packed.length - 5), messages)).isFalse();
		Entry one = messages.get(1);
		for (Entry other : List.of(new Entry("other", one.dueMillis(), "i", one.envelope()),
				new Entry(one.uid(), 1, "i", one.envelope()),
				new Entry(one.uid(), one.dueMillis(), "j", one.envelope()),
				new Entry(one.uid(), one.dueMillis(), "i", new byte[1]))) {
			assertThat(PackedMessages.areIn(packed, List.of(messages.get(0), other))).isFalse();
		}
	}

	private static void assertRefused(byte[] packed, String why) {
		assertThatIllegalArgumentException().isThrownBy(() -> PackedMessages.unpack(packed)).withMessageContaining(why);
	}

	private Entry entry(int number, String id, String payload) {
		return new Entry(this.uids.next(), 1_764_000_000_000L + number * 7L, id,
				("{\"sentAt\":1764000000" + (100 + number) + ",\"dueAt\":" + (1_764_000_000_000L + number * 7L)
						+ ",\"payload\":\"" + payload + "\"}")
					.getBytes(StandardCharsets.UTF_8));
	}

}
