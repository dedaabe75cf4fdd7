(async () => {
  try {
    const element = document.getElementById("firstfault-program");
    const text = element.textContent;
    const packed = Uint8Array.fromBase64
      ? Uint8Array.fromBase64(text)
      : Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    element.remove();
    const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const bytes = await new Response(plain).arrayBuffer();
    await wasm_bindgen({ module_or_path: bytes });
  } catch (error) {
    console.error(error);
    document.getElementById("trouble").hidden = false;
  }
})();
