package io.redelay.samples.shop.redpacket;

import java.math.BigDecimal;
import java.time.Duration;

import jakarta.validation.constraints.Digits;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Positive;
import jakarta.validation.constraints.Size;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;

/**
 * What somebody sends to put money into a red packet.
 */
record SendRedPacket(@NotBlank @Size(max = 100) String from, @NotBlank @Size(max = 100) String to,
		@NotNull @Positive @Digits(integer = 10, fraction = 2) BigDecimal amount,
		@NotNull @DurationMin(millis = 1) @DurationMax(days = 365) Duration refundAfter) {

}
