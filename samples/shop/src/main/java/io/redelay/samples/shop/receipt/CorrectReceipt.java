package io.redelay.samples.shop.receipt;

import jakarta.validation.constraints.Email;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Size;

/**
 * The address that a receipt should have had.
 */
record CorrectReceipt(@NotBlank @Email @Size(max = 200) String email) {

}
