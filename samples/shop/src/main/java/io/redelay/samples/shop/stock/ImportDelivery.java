package io.redelay.samples.shop.stock;

import java.util.List;

import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Positive;
import jakarta.validation.constraints.Size;

/**
 * A delivery note, as a supplier's system sends it, and sends it again when in doubt.
 */
record ImportDelivery(@NotBlank @Size(max = 100) String note,
		@NotEmpty @Size(max = 10_000) List<@NotNull @Valid Line> lines) {

	/**
	 * How many of what.
	 */
	record Line(@NotBlank @Size(max = 100) String item, @NotNull @Positive Integer quantity) {

	}

}
